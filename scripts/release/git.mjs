// What releases ask of git.
import { spawnSync } from 'node:child_process';

/** Runs git in a folder, and returns its output. @throws Error with git's words if it fails */
export function git(folder, ...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim() || stdout.trim()}`);
  return stdout.trim();
}

/** Returns git's output; null if it fails. */
export function tryGit(folder, ...args) {
  try {
    return git(folder, ...args);
  } catch {
    return null;
  }
}

/** Throws if a folder has changes that are in no commit. */
export function requireClean(folder) {
  const changed = git(folder, 'status', '--porcelain').split('\n').filter(Boolean);
  if (changed.length === 0) return;
  const shown = changed.slice(0, 5).map((line) => line.slice(2).trim());
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : '';
  throw new Error(`The tree has changes without a commit: ${shown.join(', ')}${more}.`);
}

/** Throws if another branch than main is checked out. */
export function requireMain(folder) {
  const branch = tryGit(folder, 'symbolic-ref', '--short', 'HEAD') ?? 'no branch';
  if (branch !== 'main') throw new Error(`A release is made on main, and ${branch} is checked out.`);
}
