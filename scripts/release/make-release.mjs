// Makes a release: writes its files, checks and commits them in a worktree of its own, tags the commit and moves main to it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dateChangelog } from './changelog.mjs';
import { git, requireClean, requireMain, tryGit } from './git.mjs';
import { writeVersion } from './places.mjs';
import { addSchemaChanges } from './schema-changes.mjs';
import { isAbove, parseVersion } from './version.mjs';

/** Commands that must succeed in the tree of the release. The second packs all packages first. */
export const CHECKS = [
  ['bash', '.ci/run'],
  ['npm', 'run', 'try-packages'],
];

/** The last commit of what the changelog calls 0.1.0, before there were tags. */
const FIRST = { commit: '6351f01215841f6155f0b6a5a245f6caa8d880fb', name: '0.1.0, which has no tag' };

const CHANGELOG = 'CHANGELOG.md';
const SCHEMA_CHANGES = 'docs/schema-changes.md';

/** Returns the name and schema of the last release; null if the repository does not have them. */
function findBaseline(folder) {
  const tag = tryGit(folder, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  const [commit, name] = tag === null ? [FIRST.commit, FIRST.name] : [tag, tag.slice(1)];
  const schema = tryGit(folder, 'show', `${commit}:schema.graphql`);
  if (schema !== null) return { name, schema };
  if (tag !== null) throw new Error(`The tag ${tag} has no schema.graphql.`);
  return null;
}

/** Throws if the release cannot be made from the folder as it is. */
function requireReady(folder, version) {
  parseVersion(version);
  const { version: present } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!isAbove(version, present)) throw new Error(`${version} is not above the present version, ${present}.`);
  requireMain(folder);
  requireClean(folder);
  if (tryGit(folder, 'rev-parse', '--verify', '--quiet', `refs/tags/v${version}`) !== null)
    throw new Error(`The tag v${version} exists already.`);
}

/** Returns the new texts of the release's files, by their paths. */
async function writeTexts(folder, version, day) {
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const texts = writeVersion(folder, version);
  texts.set(CHANGELOG, dateChangelog(read(CHANGELOG), version, day));
  const former = existsSync(join(folder, SCHEMA_CHANGES))
    ? read(SCHEMA_CHANGES)
    : '# Changes of the schema\n';
  const changes = await addSchemaChanges(former, version, findBaseline(folder), read('schema.graphql'));
  texts.set(SCHEMA_CHANGES, changes);
  return texts;
}

/** Runs a command to its end; a signal to this process ends the command, and so the release. */
async function runCheck(folder, [program, ...args]) {
  const isWindows = process.platform === 'win32';
  const child = spawn(program, args, { cwd: folder, stdio: 'inherit', shell: isWindows });
  const stop = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, stop);
  try {
    const end = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(signal ?? code));
    });
    if (end !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${end}: nothing is released.`);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Tags a commit, and moves main to it; takes the tag back if main has changed meanwhile. */
function publishCommit(folder, version, commit) {
  const tag = `v${version}`;
  requireMain(folder);
  git(folder, 'tag', '--annotate', '--message', `Linkspace ${version}`, tag, commit);
  try {
    git(folder, 'merge', '--ff-only', commit);
  } catch (error) {
    git(folder, 'tag', '--delete', tag);
    throw new Error(`main or its files have changed meanwhile: nothing is released.\n${error.message}`);
  }
}

/**
 * Makes a release on main. Until all checks have passed, the folder, its branch and its tags stay as they are.
 * @param day the day of the release, such as 2026-11-30
 * @param checks commands that must succeed in the tree of the release
 * @throws Error if the release is refused
 */
export async function makeRelease({ folder, version, day, checks = CHECKS, report = () => {} }) {
  requireReady(folder, version);
  const temporary = mkdtempSync(join(tmpdir(), 'linkspace-release-'));
  const tree = join(temporary, 'linkspace');
  try {
    git(folder, 'worktree', 'add', '--detach', tree, 'HEAD');
    const texts = await writeTexts(tree, version, day);
    for (const [path, text] of texts) writeFileSync(join(tree, path), text);
    git(tree, 'add', '--', ...texts.keys());
    git(tree, 'commit', '--message', `Release ${version}`);
    for (const check of checks) {
      report(`${check.join(' ')} in ${tree}`);
      await runCheck(tree, check);
    }
    requireClean(tree);
    publishCommit(folder, version, git(tree, 'rev-parse', 'HEAD'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    tryGit(folder, 'worktree', 'prune');
  }
}
