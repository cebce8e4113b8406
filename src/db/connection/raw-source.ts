import type { SqlQueryable } from '@prisma/driver-adapter-utils';

/** The rows of a statement, and the kinds of columns that still need a conversion. */
export interface RawRows {
  readonly names: readonly string[];
  readonly kinds: readonly ('time' | 'boolean' | undefined)[];
  readonly rows: readonly unknown[][];
}

/** A connection that reads by the driver itself: Prisma's adapters convert and describe what nothing needs. */
export interface ReadsRaw {
  readRaw(sql: string, args: readonly unknown[]): Promise<RawRows>;
}

/** Where statements read from. */
export interface Reads extends ReadsRaw {
  readonly provider: SqlQueryable['provider'];
  /** The reader for long reads, if there is a separate one. */
  readonly long?: ReadsRaw | undefined;
}

/** A connection or transaction of one of Prisma's adapters, with direct reads. */
export type Source = SqlQueryable & Reads;
