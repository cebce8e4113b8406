/**
 * What an error says, in one line. Prisma tells which call failed before it tells why; the schema engine tells why, and
 * then where in itself.
 */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return (lines[0]?.startsWith('Invalid `') ? lines.at(-1) : lines[0])?.trim() ?? 'unknown error';
}
