/** A time as Prisma writes it to SQLite; PostgreSQL accepts it, too. */
export function dateText(moment: Date): string {
  return moment.toISOString().replace('Z', '+00:00');
}
