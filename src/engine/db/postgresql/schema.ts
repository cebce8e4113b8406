import { hash } from 'node:crypto';

/** The schema of an installation whose URL and role name no other. */
export const DEFAULT_SCHEMA = 'public';

/** An identifier in SQL. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * The names of tables in our own statements. Prisma's have the schema before them already; after OF, PostgreSQL takes no
 * schema, and after AS is another name.
 */
const TABLE = /(?<!\.|\b(?:OF|AS) )"(?:[A-Z]\w*|_prisma_migrations)"(?!\."[A-Z_])/g;

/** Returns the statement with the schema before each name of a table. */
export function qualified(statement: string, schema: string): string {
  return statement.replace(TABLE, (table) => `${quoted(schema)}.${table}`);
}

/** The channel of notifications of one installation: a database has the channels of all its schemas. */
export function makeChannelName(channel: string, schema: string): string {
  return schema === DEFAULT_SCHEMA ? channel : `${channel}_${hash('md5', schema)}`;
}
