import { z } from 'zod';
import { sendAddressMails } from '../domain/access/address-change.ts';
import { findSessions, revokeSession } from '../domain/access/session.ts';
import { changeEmail, changePassword, confirmEmail } from '../domain/access/sign-in.ts';
import { updateName } from '../domain/access/user.ts';
import { findWaysIn, removeWay, type WaysIn } from '../domain/access/ways-in.ts';
import { parseInput } from '../engine/rules/input.ts';
import type { Routes } from './routes.ts';
import { credentialText, type SignInTools, token } from './tools.ts';

/** The paths at which people see and change their name, and how they sign in. */
export function addProfileRoutes(router: Routes, tools: SignInTools, ways: WaysIn): void {
  const { now, requireOwnWays, createContext, hashed, readSession, requireSession, services, report } = tools;
  // Like the session, it changes nothing, and other sites cannot read it.
  router.get('/profile', async (req, res) => {
    const session = await readSession(req);
    const { db } = session;
    const { hasPassword, ...own } = await findWaysIn(db, session.userId);
    const { id, name, email } = session.user;
    res.json({
      user: { id: String(id), name, email },
      hasPassword,
      passkeys: own.passkeys.map((one) => ({
        ...{ id: String(one.id), name: one.name, createdAt: one.createdAt, lastUsedAt: one.lastUsedAt },
      })),
      identities: own.identities.map((one) => ({
        ...{ id: String(one.id), issuer: one.issuer, createdAt: one.createdAt },
      })),
      sessions: (await findSessions(db, session.userId, now())).map((one) => ({
        ...{ id: String(one.id), device: one.device, isCurrent: one.id === session.id },
        ...{ signedInAt: one.signedInAt, lastUsedAt: one.lastUsedAt },
      })),
      signedInAt: session.signedInAt,
    });
  });
  for (const what of ['passkey', 'identity'] as const)
    router.post(`/${what}/remove`, async (req, res) => {
      const session = await requireSession(req);
      const { id } = parseInput(z.object({ id: credentialText }), req.body);
      await removeWay(session.db, what, session, id, ways, now());
      res.status(204).end();
    });
  router.post('/session/remove', async (req, res) => {
    const { id } = parseInput(z.object({ id: credentialText }), req.body);
    const session = await requireSession(req);
    await revokeSession(session.db, session, id);
    res.status(204).end();
  });
  router.post('/profile', async (req, res) => {
    const { db, user } = await requireSession(req);
    await updateName(db, user.id, req.body.name);
    res.status(204).end();
  });
  router.post(
    '/password',
    hashed(async (req, res) => {
      requireOwnWays();
      const session = await requireSession(req);
      await changePassword(session.db, session, req.body.password, createContext());
      res.status(204).end();
    }),
  );
  router.post('/email', async (req, res) => {
    const session = await requireSession(req);
    const isChanged = await changeEmail(
      session.db,
      session.services,
      session,
      req.body.email,
      now(),
      req.get('accept-language') ?? '',
    );
    res.status(isChanged ? 204 : 202).end();
  });
  router.post('/confirm', async (req, res) => {
    const session = await requireSession(req);
    const given = parseInput(token, req.body).token;
    await confirmEmail(session.db, services, session, given, now(), req.get('accept-language') ?? '');
    // Not by the session, which may have ended.
    await sendAddressMails(tools.db, services, now()).catch((error: unknown) => report(res, error));
    res.status(204).end();
  });
}
