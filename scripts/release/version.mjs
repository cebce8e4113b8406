// Versions of releases: three numbers. What may be tried before a release is a commit, not a version.

/** Returns the three numbers of a version. @throws Error if the text is no version */
export function parseVersion(text) {
  const match = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(text ?? '');
  if (!match) throw new Error(`"${text ?? ''}" is not a version: write three numbers, such as 1.2.3.`);
  return match.slice(1).map(Number);
}

/** True if a version is above another one. */
export function isAbove(version, other) {
  const others = parseVersion(other);
  const differences = parseVersion(version).map((number, index) => number - others[index]);
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
