import { z } from 'zod';
import { acceptInvitation, describeLink } from '../domain/access/invitation.ts';
import { endSession } from '../domain/access/session.ts';
import { checkPassword, mailReset, resetPassword, takeReset, welcome } from '../domain/access/sign-in.ts';
import { parseEmailKey, type User } from '../domain/access/user.ts';
import { isKnownTo } from '../domain/access/ways-in.ts';
import { refusal } from '../domain/rules.ts';
import { isUniqueViolation } from '../engine/db/errors.ts';
import { GuessLimits } from '../engine/http/limits/guess-limits.ts';
import { DomainError, visibleError } from '../engine/rules/errors.ts';
import { parseInput } from '../engine/rules/input.ts';
import { Turns } from '../engine/tools/turns.ts';
import type { OpenId } from './openid.ts';
import type { Routes } from './routes.ts';
import { tooManyAtOnce } from './sign-in-limits.ts';
import { credentialText, type SignInTools, token } from './tools.ts';

/** Maximum number of waiting links for new passwords that one network asks for; one at a time is made. */
const MAX_MAILING = 20;

const credentials = z.object({ email: credentialText, password: credentialText });

/** The paths by which people get a session, and end it. */
export function addEntryRoutes(router: Routes, tools: SignInTools, openId: OpenId | null): void {
  const { db, services, cookies, now, report, isOwn, requireOwnWays, createContext, networkOfClient } = tools;
  const { identifyAsker, limit, hashed, signIn, tried, view, sessionWith } = tools;
  const limits = new GuessLimits();
  const mailing = new Turns({ max: 1, maxWaiting: MAX_MAILING, refusal: tooManyAtOnce });
  router.post('/token', async (req, res) => {
    const given = parseInput(token, req.body);
    await limit(req);
    const session = await sessionWith(req, cookies.tokenOf(req));
    res.json(await describeLink(db, given.token, session?.userId ?? null, now()));
  });
  router.post(
    '/welcome',
    hashed(async (req, res) => {
      requireOwnWays();
      const given = parseInput(token, req.body);
      const user = await welcome(db, { ...req.body, ...given }, createContext()).catch(taken);
      await signIn(req, res, user, 'link', 201);
    }),
  );
  router.post(
    '/sign-in',
    hashed(async (req, res) => {
      requireOwnWays();
      const given = parseInput(credentials, req.body);
      let user: User | null = null;
      await limits.check(parseEmailKey(given.email), networkOfClient(req), async () => {
        user = await checkPassword(db, given, {
          ...createContext(),
          ...{ asker: identifyAsker(req), tried: tried(req) },
        });
        return user !== null;
      });
      if (user === null) throw new DomainError('UNAUTHENTICATED', refusal('WRONG_PASSWORD'));
      await signIn(req, res, user, 'password');
    }),
  );
  router.post(
    '/accept',
    hashed(async (req, res) => {
      const given = parseInput(token.extend({ email: credentialText.optional() }), req.body);
      const session = await sessionWith(req, cookies.tokenOf(req));
      if (session === null) requireOwnWays();
      const input = { ...req.body, ...given };
      const own = session?.user ?? null;
      const by = session?.db ?? db;
      const { user, accountId } = await acceptInvitation(by, input, own, createContext(), session).catch(
        taken,
      );
      if (session === null) return signIn(req, res, user, 'link', 201);
      res.status(201).json(await view(user, String(accountId)));
    }),
  );
  router.post(
    '/reset',
    hashed(async (req, res) => {
      const given = parseInput(token, req.body);
      const user = isOwn
        ? await resetPassword(db, { ...given, password: req.body.password }, createContext())
        : await takeReset(db, given.token, {}, now());
      await signIn(req, res, user, 'link');
    }),
  );
  router.post('/forgot', async (req, res) => {
    const { email } = parseInput(z.object({ email: credentialText }), req.body);
    const [network, asker] = [networkOfClient(req), identifyAsker(req)];
    res.status(202).json({});
    // After the answer, whose time tells nothing. What one network asks for too fast is forgotten.
    const mail = async () => {
      await limit(req, network);
      await mailReset(db, services, email, now(), req.get('accept-language') ?? '', asker);
    };
    if (isOwn)
      await mailing.take(network, mail).catch((error: unknown) => {
        if (visibleError(error)?.code !== 'RATE_LIMITED') report(res, error);
      });
  });
  router.post('/sign-out', async (req, res) => {
    const given = cookies.tokenOf(req);
    if (given === null && cookies.of(req) !== null)
      throw new DomainError('UNAUTHENTICATED', 'The site itself signs out: send the header Origin.');
    const session = await sessionWith(req, given);
    if (given !== null) await endSession(db, given);
    cookies.clear(res);
    const isKnown = openId && session && (await isKnownTo(db, session.userId, openId.issuer));
    const url = isKnown ? await openId.signOutUrl() : null;
    if (url === null) res.status(204).end();
    else res.json({ url });
  });
}

/** The error for an email address that got a user meanwhile. */
function taken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new DomainError('CONFLICT', refusal('EMAIL_HAS_USER'));
}
