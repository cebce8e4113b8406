import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';

/** The part of better-sqlite3's statements that is used. */
export interface Statement {
  readonly reader: boolean;
  bind(args: unknown[]): Statement;
  run(...args: unknown[]): unknown;
  columns(): readonly { readonly name: string; readonly type: string | null }[];
  safeIntegers(toggle: boolean): Statement;
  raw(toggle?: boolean): Statement;
  all(...args: unknown[]): unknown[];
}

/** The part of better-sqlite3's database that is used. */
export interface Driver {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
}

/** The driver behind the adapter; not part of the adapters' common interface. */
export function driverOf(adapter: SqlDriverAdapter): Driver {
  // The adapter of @prisma/adapter-better-sqlite3 has this property; its type does not say so.
  return (adapter as SqlDriverAdapter & { client: Driver }).client;
}
