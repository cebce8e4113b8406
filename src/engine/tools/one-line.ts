import { withoutSecrets } from './secrets.ts';

/**
 * An error's message in one line, without passwords in URLs. Prisma's messages have the failed call before the reason; the
 * schema engine's have the reason first, and then its own source location. Those of raw statements have it in quotes.
 */
export function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const reason = (lines[0]?.startsWith('Invalid `') ? lines.at(-1) : lines[0])?.trim() ?? 'unknown error';
  return withoutSecrets(reason.replace(/^Raw query failed\. Code: `.*?`\. Message: `(.+)`$/, '$1'));
}
