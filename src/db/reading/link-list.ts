import type { Dialect } from '../dialect.ts';
import { type Sql, sql } from '../sql.ts';
import { type Column, countOf, type List } from './keyset.ts';
import { type LinkSelect, linkJoins, linkSource } from './link-selection.ts';

interface LinkColumn extends Column {
  /** Whether there is also an index for the links of one space; all orders have one for an account's links. */
  readonly bySpace?: boolean;
}

/** What links can be ordered by, with the columns for it. */
const orders = {
  ID: { name: 'id', type: 'number', bySpace: true },
  CLICKS: { name: 'clicks', type: 'number', large: true, tieBreaker: 'linkId', bySpace: true },
  TITLE: { name: 'titleKey', type: 'text', nullable: true },
  ALIAS: { name: 'aliasKey', type: 'text' },
  // There are two indexes: an index entry of PostgreSQL has at most about 2,700 bytes.
  URL: {
    name: 'urlKey',
    type: 'text',
    parts: [
      { where: sql`octet_length("urlKey") <= 2500` },
      { where: sql`octet_length("urlKey") > 2500`, prefix: sql`substr("urlKey", 1, 600)` },
    ],
  },
  UPDATED_AT: { name: 'updatedAt', type: 'timestamp' },
} satisfies Record<string, LinkColumn>;

const texts = new WeakMap<LinkSelect, string>();

/** A text that is equal for equal selections. */
function textOf(select: LinkSelect): string {
  const known = texts.get(select) ?? JSON.stringify(select);
  texts.set(select, known);
  return known;
}

export type LinkOrder = keyof typeof orders;

/** Which links of an account a list has, and in which order: by default the newest first. */
export interface LinkSelection {
  readonly accountId: number;
  readonly where: readonly Sql[];
  /** Conditions on "spaceId". */
  readonly inSpaces?: readonly Sql[];
  /** Whether an index finds the few links that can meet `where`. */
  readonly isSelective?: boolean;
  readonly orderBy?: LinkOrder;
  readonly descending?: boolean;
}

/** The list of these links with what is selected of each, and an expression for their number, counted up to `most`. */
export function linkList(
  { accountId, where, inSpaces = [], isSelective = false, orderBy = 'ID', descending = true }: LinkSelection,
  select: LinkSelect,
  dialect: Dialect,
): { list: List; count(most?: number): Sql } {
  const column: LinkColumn = orders[orderBy];
  // With a plus, no index of accounts is used: to count a few links, SQLite would read all that an account has in one.
  const ofAccount = [
    isSelective ? sql`+"accountId" = ${accountId}` : sql`"accountId" = ${accountId}`,
    ...where,
  ];
  const joined = linkJoins(select, column.name, dialect);
  const list: List = {
    table: 'Link',
    source: linkSource(accountId, select, column.name, inSpaces),
    ...(joined && { joined }),
    columnsKey: `${column.name} ${textOf(select)}`,
    // Ordered by clicks, the counters have this condition. If it were repeated, PostgreSQL would expect far fewer links than
    // there are.
    where: orderBy === 'CLICKS' ? ofAccount : [...ofAccount, ...inSpaces],
    orderBy: column,
    descending,
    needsScan: !isSelective && (where.length > 0 || (inSpaces.length > 0 && column.bySpace !== true)),
  };
  return { list, count: (most) => countOf({ ...list, where: [...ofAccount, ...inSpaces] }, most) };
}
