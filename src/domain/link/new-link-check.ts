import type { Data } from '../../db/database.ts';
import type { Writer } from '../access/actor.ts';
import { type DomainError, invalid } from '../errors.ts';
import type { Unparsed } from '../input.ts';
import type { Services } from '../services.ts';
import { createLinksInBulk } from './bulk.ts';
import type { BulkOutcome } from './bulk-outcome.ts';
import { aliasTaken } from './check.ts';
import { DryRun } from './dry-run.ts';
import type { createLinkInput } from './input.ts';

function errorOf(outcome: BulkOutcome | undefined, alias: unknown): DomainError | null {
  if (outcome?.kind === 'refused') return invalid(outcome.fields);
  // An import would take it for the same link; a new link is refused.
  const isTaken = outcome?.kind === 'existing' && alias != null;
  return isTaken ? invalid([{ path: ['alias'], messages: [aliasTaken] }]) : null;
}

/** The error of each input, as `createLink` would have it after the ones before; null for one that it would accept. */
export async function checkNewLinks(
  db: Data,
  actor: Writer,
  services: Services,
  inputs: readonly Unparsed<typeof createLinkInput>[],
  now: Date,
): Promise<(DomainError | null)[]> {
  const items = inputs.map((input) => ({ input, origin: {} }));
  const options = { onTaken: 'refuse', dryRun: new DryRun() } as const;
  const outcomes = await createLinksInBulk(db, actor, services, items, options, now);
  return inputs.map(({ alias }, index) => errorOf(outcomes[index], alias));
}
