/** A time as Prisma writes it to SQLite; PostgreSQL accepts it, too. */
export function dateText(timestamp: Date): string {
  return timestamp.toISOString().replace('Z', '+00:00');
}

/** The ISO text with milliseconds of a time as a database writes it, in JSON or not: without a zone, it is in UTC. */
export function isoText(stored: string): string {
  const { length } = stored;
  // SQLite: 2026-11-20T19:24:00.500+00:00, as above.
  if (length === 29 && stored.endsWith('+00:00')) return `${stored.slice(0, 23)}Z`;
  // PostgreSQL: 2026-11-20 19:24:00.5, with as many digits as it needs.
  if (length === 19 || (length > 20 && length <= 23 && stored[19] === '.'))
    return `${stored.slice(0, 10)}T${stored.slice(11)}${'.000'.slice(length - 19)}Z`;
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(stored) ? stored : `${stored.replace(' ', 'T')}Z`).toISOString();
}
