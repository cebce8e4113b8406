import { withoutSecrets } from './secrets.ts';

/**
 * What an error says, in one line, without the passwords of URLs. Prisma tells which call failed before it tells why; the schema engine tells why, and
 * then where in itself.
 */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const told = (lines[0]?.startsWith('Invalid `') ? lines.at(-1) : lines[0])?.trim() ?? 'unknown error';
  return withoutSecrets(told);
}
