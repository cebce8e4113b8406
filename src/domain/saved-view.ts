import { z } from 'zod';
import type { Data } from '../db/database.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { invalidField } from '../engine/rules/errors.ts';
import {
  choiceSchema,
  foldCase,
  isStorable,
  nameSchema,
  parseInput,
  plainLine,
  type Unparsed,
  unless,
} from '../engine/rules/input.ts';
import { refusing } from '../engine/rules/refusal.ts';
import type { SavedView } from '../generated/sqlite/client.ts';
import type { Actor } from './access/actor.ts';
import {
  createOwned,
  createReaders,
  deleteOwned,
  type Kind,
  requireRoom,
  updateOwned,
} from './access/ownership.ts';
import { whereNameIsFree } from './name-and-color.ts';
import { refusal } from './rules.ts';

export type { SavedView };

export const MAX_VIEWS = 100;
/** Maximum size of a query, in bytes. */
export const MAX_QUERY = 4_096;

/** The parts of the console that views can be of. */
export const viewKinds = {
  LINKS: 'The list of links.',
  OVERVIEW: 'The overview with its statistics.',
} as const;

export type ViewKind = keyof typeof viewKinds;

const name = nameSchema(60).describe(
  'The name, 1 to 60 characters; unique in its account, whatever its case.',
);
const view = choiceSchema(viewKinds)
  .meta({ title: 'SavedViewKind' })
  .describe('The part of the console that it is of.');

const size = (text: unknown) => Buffer.byteLength(String(text));
const query = z
  .string({ error: unless(refusal('TEXT')) })
  .refine((text) => size(text) <= MAX_QUERY, {
    error: refusing(({ input }) => refusal('VIEW_QUERY_SIZE', { max: MAX_QUERY, length: size(input) })),
    abort: true,
  })
  .refine(isStorable, refusal('STORABLE'))
  .refine((text) => text === plainLine(text), refusal('CONTROL_CHARACTERS'))
  .describe(
    "The console's query string with its filters, without `?`: `status=ACTIVE`; empty for none, at most 4 kB.",
  );

export const createViewInput = z.object({ name, view, query });
export const updateViewInput = z.object({
  name: name.optional(),
  view: view.optional(),
  query: query.optional(),
});

const kind = {
  kind: 'SAVED_VIEW',
  what: 'saved view',
  table: 'SavedView',
  fields: {},
  rows: (tx) => tx.prisma.savedView,
} satisfies Kind<SavedView, Partial<SavedView>>;

export const {
  find: findView,
  findMany: findViews,
  connection: viewConnection,
} = createReaders<SavedView>(kind);

const taken = refusal('VIEW_NAME_TAKEN');
export const noRoomForViews = refusal('VIEWS_OF_ACCOUNT', { max: MAX_VIEWS });

export const countViews = (db: Data, accountId: number): Promise<number> =>
  db.prisma.savedView.count({ where: { accountId } });

/** True if the account has a view with this name, in any case. */
export async function hasView(db: Data, accountId: number, name: string): Promise<boolean> {
  const where = { accountId_nameKey: { accountId, nameKey: foldCase(name) } };
  return (await db.prisma.savedView.findUnique({ where, select: { id: true } })) !== null;
}

/** @throws DomainError VALIDATION */
export async function createView(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createViewInput>,
  now: Date,
): Promise<SavedView> {
  const fields = parseInput(createViewInput, input);
  const { accountId } = actor;
  const create = createOwned(db, kind, actor, now, fields, async (tx, common) => {
    const noRoom = () => invalidField('name', noRoomForViews);
    await requireRoom(tx, accountId, MAX_VIEWS, () => countViews(tx, accountId), noRoom);
    return tx.prisma.savedView.create({ data: { ...fields, nameKey: foldCase(fields.name), ...common } });
  });
  return whereNameIsFree(create, taken);
}

/** Changes the given fields. @throws DomainError VALIDATION, NOT_FOUND */
export async function updateView(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updateViewInput>,
  now: Date,
): Promise<SavedView> {
  const fields = parseInput(updateViewInput, input);
  const nameKey = fields.name && foldCase(fields.name);
  return whereNameIsFree(
    updateOwned(db, kind, actor, id, now, () => ({ ...fields, nameKey })),
    taken,
  );
}

/** Deletes the view and returns its id. @throws DomainError NOT_FOUND */
export async function deleteView(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return deleteOwned(db, kind, actor, id, now);
}
