import { endLastingAccess, ownLastingAccess } from '../domain/access/lasting-access.ts';
import type { Routes } from './routes.ts';
import type { SignInTools } from './tools.ts';

/** The paths at which people see what they made that outlasts their sessions, and end it. */
export function addLastingAccessRoutes(
  router: Routes,
  { now, readSession, requireSession }: SignInTools,
): void {
  // Like the session, it changes nothing, and other sites cannot read it.
  router.get('/lasting-access', async (req, res) => {
    const { db, userId } = await readSession(req);
    res.json(await ownLastingAccess(db, userId, now()));
  });
  router.post('/lasting-access/end', async (req, res) => {
    const session = await requireSession(req);
    await endLastingAccess(session.db, session, req.body, now());
    res.status(204).end();
  });
}
