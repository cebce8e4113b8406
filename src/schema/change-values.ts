import DataLoader from 'dataloader';
import { type ReadableValues, readValues } from '../db/change-values.ts';
import type { ChangeAction } from '../domain/change/change.ts';
import {
  type ChangedValue,
  hasValues,
  MAX_KEPT_BYTES,
  MAX_LISTED_BYTES,
  parseValues,
} from '../domain/change/values.ts';
import { costs } from '../engine/graphql/cost/costs.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';

/** The cost of a part of a value, which the field `values` has already. */
const free = costs({ weight: 0 });

export const ChangedValueType = builder.objectRef<ChangedValue>('ChangedValue').implement({
  description: 'The value of a field before and after a change.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the field in this schema.', extensions: free }),
    before: t.exposeString('before', {
      extensions: free,
      nullable: true,
      description:
        'The value before the change, as JSON: relations are ids, other values as an input would have them. Null if there was none.',
    }),
    after: t.exposeString('after', {
      extensions: free,
      nullable: true,
      description: 'The value after the change, like `before`; null for none, and after a deletion.',
    }),
    isSecret: t.exposeBoolean('isSecret', {
      extensions: free,
      description: 'True for a password, of which no value is shown or compared.',
    }),
    isCut: t.exposeBoolean('isCut', {
      extensions: free,
      description: `True if a text was over ${MAX_LISTED_BYTES / 1024} kB and is cut, so that it is no JSON. The query \`change\` gives it whole.`,
    }),
    isKept: t.exposeBoolean('isKept', {
      extensions: free,
      description: `False if a text was over ${MAX_KEPT_BYTES / 1024} kB. It is null then, and the change cannot be reverted.`,
    }),
  }),
});

type Loader = DataLoader<number, ReadableValues | null>;

const loaders = new WeakMap<Context, Record<'listed' | 'whole', Loader>>();

/** The loaders of one execution: the values of all changes of a page are one statement. */
function loadersOf(context: Context): Record<'listed' | 'whole', Loader> {
  const known = loaders.get(context);
  if (known) return known;
  const create = (isWhole: boolean): Loader =>
    new DataLoader(
      async (ids) => {
        const found = await readValues(context.db, [...new Set(ids)], isWhole);
        const byId = new Map(found.map((one) => [one.id, one]));
        return ids.map((id) => byId.get(id) ?? null);
      },
      // Nothing is cached: a mutation of the same document may remove values.
      { cache: false, maxBatchSize: 1_000 },
    );
  const made = { listed: create(false), whole: create(true) };
  loaders.set(context, made);
  return made;
}

/** Changes whose long texts are given whole. */
const whole = new WeakSet<object>();

/** Marks a change whose long texts are given whole. */
export function asWhole<Row extends object>(change: Row): Row {
  whole.add(change);
  return change;
}

interface ChangeRow {
  readonly id: number;
  readonly kind: string;
  readonly action: string;
}

async function load(context: Context, change: ChangeRow): Promise<ReadableValues | null> {
  const { kind, action, id } = change;
  const isWithout = action === ('CREATED' satisfies ChangeAction) || !hasValues(kind);
  if (isWithout) return null;
  const { listed, whole: uncut } = loadersOf(context);
  return (whole.has(change) ? uncut : listed).load(id);
}

/** The values of a change; none if it never had any, or they are deleted. */
export async function valuesIn(context: Context, change: ChangeRow): Promise<ChangedValue[]> {
  const found = await load(context, change);
  return found ? parseValues(found.values) : [];
}

/** True if the change can be taken back, as long as nothing else has changed. */
export async function isRevertable(context: Context, change: ChangeRow): Promise<boolean> {
  if (change.action === ('CREATED' satisfies ChangeAction)) return hasValues(change.kind);
  return (await load(context, change))?.isRevertable ?? false;
}
