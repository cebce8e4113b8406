import { undoAddressChange } from '../domain/access/address-change.ts';
import { parseInput } from '../engine/rules/input.ts';
import type { Routes } from './routes.ts';
import { type SignInTools, token } from './tools.ts';

/** The path at which the link that was mailed to a former address takes it back; it needs no session. */
export function addAddressUndoRoute(router: Routes, { db, services, now, limit }: SignInTools): void {
  router.post('/email/undo', async (req, res) => {
    const given = parseInput(token, req.body);
    await limit(req);
    await undoAddressChange(db, services, given.token, now(), req.get('accept-language') ?? '');
    res.status(204).end();
  });
}
