import { responsePathAsArray } from 'graphql';
import { changeActions, type RecordKind as RecordKindName, recordKinds } from '../domain/change/change.ts';
import { changeFilter } from '../domain/change/change-filter.ts';
import {
  changeConnection,
  changeOrderFields,
  findChange,
  findChanges,
  findHistory,
  makeSubscriber,
  parseAfter,
  parseChangeFilter,
  toCursor,
} from '../domain/change/find-changes.ts';
import type { LoggedChange } from '../engine/changes/events.ts';
import { costs, STATEMENT_COST } from '../engine/graphql/cost/costs.ts';
import type { EdgesInput } from '../engine/lists/pagination.ts';
import { DomainError } from '../engine/rules/errors.ts';
import { authorColumns, authorKeyColumns, ChangeAuthor, findAuthor } from './access.ts';
import { builder } from './builder.ts';
import { asWhole, ChangedValueType, isRevertable, valuesIn } from './change-values.ts';
import type { Context } from './context.ts';
import { enumType, inputType } from './domain-types.ts';
import { Link } from './link/link.ts';
import { defineConnection, defineSelection } from './list.ts';
import { encodeNodeId, findNode, findNodes, Node } from './node.ts';
import { defineQuery } from './record-fields.ts';
import { Space } from './space.ts';
import { Tag } from './tag.ts';

const ChangeAction = enumType('ChangeAction', 'The kinds of changes.', changeActions);

const RecordKind = enumType('RecordKind', 'The kinds of records that changes are recorded for.', recordKinds);

/** The types of the records, for their global ids. */
export const typeOf: Readonly<Record<RecordKindName, string>> = {
  SPACE: 'Space',
  TAG: 'Tag',
  LINK: 'Link',
  DOMAIN: 'Domain',
  PIXEL: 'Pixel',
  UTM_TEMPLATE: 'UtmTemplate',
  SAVED_OPERATION: 'SavedOperation',
  SAVED_VIEW: 'SavedView',
  WEBHOOK: 'Webhook',
  MEMBER: 'Member',
  INVITATION: 'Invitation',
  API_KEY: 'ApiKey',
  ACCOUNT: 'Account',
};

/** The maximum number of fields of a record. */
const MAX_FIELDS = 20;

export const Change = builder.prismaObject('Change', {
  select: { id: true },
  interfaces: [Node],
  description:
    'A change of one record: the time, who made it, and the changed fields with their values before and after.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the change.' }),
    cursor: t.string({
      select: { tx: true },
      description:
        'The position in the log: the cursor of the change in `changes`, and the `after` with which a subscription goes on.',
      resolve: toCursor,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the change was made.' }),
    action: t.field({
      type: ChangeAction,
      select: { action: true },
      description: 'The kind of change.',
      // The log has only values of src/domain/change/change.ts.
      resolve: ({ action }) => action as keyof typeof changeActions,
    }),
    kind: t.field({
      type: RecordKind,
      select: { kind: true },
      description: 'The kind of the record.',
      resolve: ({ kind }) => kind as keyof typeof recordKinds,
    }),
    recordId: t.exposeID('recordId', {
      description: 'The id of the record, which may have been deleted since.',
    }),
    recordNodeId: t.id({
      select: { kind: true, recordId: true },
      description: 'The global id of the record, by which caches find it, even after it was deleted.',
      resolve: ({ kind, recordId }) => encodeNodeId(typeOf[kind as RecordKindName], recordId),
    }),
    record: t.field({
      type: Node,
      nullable: true,
      select: { kind: true, recordId: true },
      description: 'The record as it is now; null if it was deleted since, or the caller may not see it.',
      extensions: costs({ work: STATEMENT_COST }),
      resolve: ({ kind, recordId }, _args, context, info) =>
        findNode(context, encodeNodeId(typeOf[kind as RecordKindName], recordId), info),
    }),
    fields: t.stringList({
      description:
        'The fields that were set or changed, by their names in this schema; empty for a deletion.',
      select: { fields: true },
      extensions: costs({ size: MAX_FIELDS }),
      resolve: ({ fields }): string[] => JSON.parse(fields),
    }),
    values: t.field({
      type: [ChangedValueType],
      select: { kind: true, action: true },
      description:
        'The changed fields of a link, space or tag with their values before and after; of a deletion, all fields that it had. Empty ' +
        'for creations and other kinds of records, and once the values are deleted: after 90 days, or by `forgetChanges`.',
      // One for each, whatever is selected of it.
      extensions: costs({ size: MAX_FIELDS }),
      resolve(change, _args, context, info) {
        // Values have a table of their own, and are deleted there.
        context.keyed?.empty(responsePathAsArray(info.path));
        return valuesIn(context, change);
      },
    }),
    isRevertable: t.boolean({
      select: { kind: true, action: true },
      description:
        'Whether `revertChange` can take the change back, unless something has changed since or today’s rules refuse it.',
      extensions: costs({ work: 2 }),
      resolve: (change, _args, context) => isRevertable(context, change),
    }),
    key: t.relation('key', {
      nullable: true,
      description: 'The key that made the change; null if it was a user or the operator.',
    }),
    by: t.field({
      type: ChangeAuthor,
      nullable: true,
      select: {
        accountId: true,
        key: { select: authorKeyColumns },
        user: { select: authorColumns },
      },
      description: 'Who made the change, a user or a key; null for the operator alone.',
      extensions: costs({ work: 2 }),
      resolve: ({ accountId, key, user }) => findAuthor(accountId, key, user),
    }),
  }),
});

findNodes(Change, ({ db, actor }, ids) => findChanges(db, actor, ids));

const connection = defineConnection('Change', 'changes', Change);

const ChangeFilter = inputType(
  'ChangeFilter',
  'A filter for changes. All conditions must match.',
  changeFilter,
);
const selectionArgs = defineSelection('Change', 'changes', ChangeFilter, changeOrderFields, 'ASC');

builder.queryField('change', (t) =>
  t.field({
    ...defineQuery(Change),
    description: 'The change with this id, whose values are whole; null if the account has none.',
    resolve: async (_root, { id }, { db, actor }) => {
      const change = await findChange(db, actor, id);
      return change && asWhole(change);
    },
  }),
);

builder.queryField('changes', (t) =>
  t.field({
    ...connection,
    description:
      "The changes of the account's records, paginated by cursor. A client that continues from its last cursor misses none: if changes after it are deleted, oldest first, the error is `HISTORY_GONE`.",
    args: { ...connection.args, ...selectionArgs },
    resolve: (_root, args, { db, data, lists, actor }) =>
      changeConnection(db, data.primary, lists, actor, args),
  }),
);

builder.subscriptionField('changes', (t) =>
  t.field({
    type: Change,
    description:
      "The account's changes from now on, or from a position on, as they are made: in order, each exactly once.",
    args: {
      filter: t.arg({ type: ChangeFilter, description: 'A filter; all changes by default.' }),
      after: t.arg.string({
        description:
          'The cursor of a change: first come all changes after it. If some of them are deleted, the error is `HISTORY_GONE`.',
      }),
    },
    subscribe: (_root, { filter, after }, { subscriptions, actor, onClosed }) => {
      const subscriber = makeSubscriber(actor, parseChangeFilter(filter));
      return subscriptions.subscribe(subscriber, onClosed, after == null ? null : parseAfter(after));
    },
    resolve: (change: LoggedChange | DomainError) => {
      if (change instanceof DomainError) throw change;
      return change;
    },
  }),
);

const history = (kind: 'LINK' | 'SPACE' | 'TAG') => ({
  ...connection,
  description: 'The changes of the record, newest first, paginated by cursor.',
  resolve: (record: { id: number }, args: EdgesInput, { db, data, lists, actor }: Context) =>
    findHistory(db, data.primary, lists, actor, kind, record, args),
});

builder.objectField(Link, 'history', (t) => t.field(history('LINK')));
builder.objectField(Space, 'history', (t) => t.field(history('SPACE')));
builder.objectField(Tag, 'history', (t) => t.field(history('TAG')));
