import { readFileSync } from 'node:fs';
import { readOwner } from '../../engine/db/sqlite/file.ts';
import { findProvider } from '../../engine/db/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { withoutSecrets } from '../../engine/tools/secrets.ts';

/** A user as `sudo` takes it: by its name, or by its number if the system has no name for it. */
function userNamed(uid: number): string {
  const passwd = (() => {
    try {
      return readFileSync('/etc/passwd', 'utf8');
    } catch {
      return '';
    }
  })();
  const names = passwd.split('\n').map((line) => line.split(':'));
  return names.find(([, , id]) => id === String(uid))?.[0] ?? `'#${uid}'`;
}

const quoted = (argument: string) =>
  /^[\w./:=@,+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

/**
 * Refuses a SQLite file of another user: the service could not open what this user makes beside it.
 * @throws OperatorError with the line to run instead
 */
export function requireOwner(url: unknown, script: string, argv: readonly string[]): void {
  if (typeof url !== 'string' || findProvider(url) !== 'sqlite') return;
  const owner = readOwner(url);
  if (owner === null || owner === process.getuid?.()) return;
  const user = userNamed(owner);
  const given = argv.length > 0 ? ` -- ${argv.map(quoted).join(' ')}` : '';
  throw new OperatorError(
    withoutSecrets(
      `The SQLite file ${url.replace(/^file:/, '')} belongs to the user ${user}. Run this as that user: ` +
        `sudo -u ${user} npm run ${script}${given}`,
    ),
  );
}
