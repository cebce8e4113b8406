import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { oneLine } from './one-line.ts';
import { OperatorError } from './operator-error.ts';
import { withoutSecrets } from './secrets.ts';

/**
 * Creates a folder for the current user only, and those above it. Node's own `recursive` would never end in some file systems
 * that allow no folders, such as /proc.
 * @throws OperatorError
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path))
      throw new OperatorError(`Cannot create the folder ${withoutSecrets(path)}: ${oneLine(error)}.`);
  }
}
