import type { LoggedChange } from '../db/change/log.ts';
import { changeActions, recordKinds } from '../domain/change/change.ts';
import {
  changeConnection,
  changeOrderFields,
  findChanges,
  historyOf,
  parseChangeFilter,
} from '../domain/change/list.ts';
import { DomainError } from '../domain/errors.ts';
import { builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { Link } from './link/link.ts';
import { connectionOf, edgesArgs, listCost, selectionOf } from './list.ts';
import { findNodes, Node } from './node.ts';
import { reads } from './selected.ts';
import { costs } from './server/cost.ts';
import { ApiKey } from './viewer.ts';

const ChangeAction = builder.enumType('ChangeAction', {
  description: 'What was done to a record.',
  values: describedValues(changeActions),
});

const RecordKind = builder.enumType('RecordKind', {
  description: 'What kind of record a change is of.',
  values: describedValues(recordKinds),
});

/** How many fields a record can have at most. */
const FIELDS = 20;

export const Change = builder.objectRef<LoggedChange>('Change').implement({
  interfaces: [Node],
  description: 'What was done to one record, when and by which key. It names fields, and tells no values.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the change.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was made.' }),
    action: t.field({
      type: ChangeAction,
      description: 'What was done.',
      // The log holds what src/domain/change/change.ts records alone.
      resolve: ({ action }) => action as keyof typeof changeActions,
    }),
    kind: t.field({
      type: RecordKind,
      description: 'What kind of record it was done to.',
      resolve: ({ kind }) => kind as keyof typeof recordKinds,
    }),
    recordId: t.exposeID('recordId', { description: 'The id of the record, which may be gone.' }),
    fields: t.stringList({
      description: 'The fields that were set or changed, by their names in this schema; none of a deletion.',
      extensions: costs({ size: FIELDS }),
      resolve: ({ fields }): string[] => JSON.parse(fields),
    }),
    key: t.field({
      type: ApiKey,
      nullable: true,
      description: 'The key that was used; null where the operator did it.',
      resolve: ({ keyId }, _args, { lists }) => (keyId === null ? null : lists.keyOf(keyId)),
    }),
  }),
});

findNodes('Change', ({ db, actor }, ids) => findChanges(db, actor, ids));

const ChangeConnection = connectionOf('Change', 'changes', Change);

export const ChangeFilter = builder.inputType('ChangeFilter', {
  description: 'Narrows the changes; what is given must all hold.',
  fields: (t) => ({
    kind: t.field({ type: RecordKind, description: 'Only those of this kind of record.' }),
    recordId: t.id({ description: 'Only those of records with this id.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Only those from this moment on: ISO 8601 with its offset from UTC.',
    }),
  }),
});

const selectionArgs = selectionOf('Change', 'changes', ChangeFilter, changeOrderFields, 'ASC');

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeConnection,
    extensions: listCost,
    description:
      "What was done to the account's records, by cursor. Whoever goes on from a cursor misses none.",
    args: { ...edgesArgs, ...selectionArgs },
    resolve: (_root, args, { db, lists, actor }) => changeConnection(db, lists, actor, args),
  }),
);

builder.subscriptionField('changes', (t) =>
  t.field({
    type: Change,
    description:
      "The account's changes from now on, as they are made: in order, none missing and none twice.",
    args: { filter: t.arg({ type: ChangeFilter, description: 'Which changes; all of them by default.' }) },
    subscribe: (_root, { filter }, { subscriptions, actor }) =>
      subscriptions.subscribe(actor, parseChangeFilter(filter)),
    resolve: (change: LoggedChange | DomainError) => {
      if (change instanceof DomainError) throw change;
      return change;
    },
  }),
);

const history = 'What was done to it, the newest first, by cursor.';

builder.objectField(Link, 'history', (t) =>
  t.field({
    type: ChangeConnection,
    extensions: { ...listCost, ...reads() },
    description: history,
    args: edgesArgs,
    resolve: (link, args, { db, lists, actor }) => historyOf(db, lists, actor, 'LINK', link, args),
  }),
);
builder.prismaObjectField('Space', 'history', (t) =>
  t.field({
    type: ChangeConnection,
    extensions: listCost,
    description: history,
    args: edgesArgs,
    resolve: (space, args, { db, lists, actor }) => historyOf(db, lists, actor, 'SPACE', space, args),
  }),
);
