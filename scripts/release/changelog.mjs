// The changelog's section of a release.
const UNRELEASED = '## [Unreleased]\n';

/**
 * Returns the changelog with its unreleased changes as the section of a version, below a new empty one.
 * @param day such as 2026-11-30
 * @throws Error if nothing is unreleased
 */
export function dateChangelog(text, version, day) {
  const start = text.indexOf(UNRELEASED);
  if (start === -1) throw new Error('CHANGELOG.md has no section [Unreleased].');
  const rest = text.slice(start + UNRELEASED.length);
  const next = rest.search(/^## /m);
  const section = next === -1 ? rest : rest.slice(0, next);
  if (section.trim() === '') throw new Error('CHANGELOG.md has nothing in its section [Unreleased].');
  return `${text.slice(0, start)}${UNRELEASED}\n## [${version}] - ${day}\n${rest}`;
}
