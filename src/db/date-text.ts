/** A time as Prisma writes it to SQLite; PostgreSQL accepts it, too. */
export function dateText(timestamp: Date): string {
  return timestamp.toISOString().replace('Z', '+00:00');
}
