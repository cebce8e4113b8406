import type { Copied } from '../engine/db/copy.ts';
import { Prisma } from '../generated/sqlite/client.ts';

/** A model whose rows are copied. */
type Model = Exclude<Prisma.ModelName, (typeof notCopied)[number]>;

/**
 * Not copied. Revisions tell running processes about changes in their own database; they are not user data. Salts and
 * visitors exist for the current day only. People sign in again.
 */
const notCopied = [
  ...(['Revision', 'AccessChange', 'DaySalt', 'DayVisitor'] as const),
  ...(['Session', 'OneTimeToken', 'SignInGuesses'] as const),
] as const;

/** The models whose rows are copied, in an order in which each refers only to earlier ones. */
export const models = Object.values(Prisma.ModelName).filter(
  (name): name is Model => !notCopied.some((one) => one === name),
);

/** The primary keys of models without an `id` that the database assigns. */
const keys: Partial<Record<Model, readonly string[]>> = {
  // Those of their changes.
  ChangeValues: ['id'],
  ChangeImage: ['changeId', 'hash'],
  LinkPixel: ['linkId', 'pixelId'],
  LinkTag: ['linkId', 'tagId'],
  LinkCounter: ['linkId'],
  AccountTally: ['accountId', 'slot'],
  AccountSecret: ['accountId'],
  LinkHour: ['linkId', 'hour'],
  LinkDay: ['linkId', 'day'],
  LinkDayValue: ['linkId', 'kind', 'day', 'valueId'],
  LinkMonthValue: ['linkId', 'kind', 'month', 'valueId'],
  AccountHour: ['accountId', 'hour'],
  AccountDay: ['accountId', 'day'],
  AccountDayValue: ['accountId', 'kind', 'day', 'valueId'],
  AccountMonthValue: ['accountId', 'kind', 'month', 'valueId'],
  OperationDay: ['operationId', 'day'],
  WebhookQueue: ['webhookId'],
  LogReader: ['name'],
  RetentionClock: ['name'],
};

/** Everything that people would miss; not what fills itself, such as the index of texts. */
export const copied: Copied = {
  tables: models.map((name) => ({ name, key: keys[name] })),
  indexing: 'Link_text_%',
};
