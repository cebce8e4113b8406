/** The minimum length of a name: names similar to shorter ones, such as PORT, often mean something else. */
const MIN_NEAR = 6;

/** True if two names differ only in underscores, in one character, or in the order of two adjacent characters. */
export function isNearName(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replaceAll('_', '').toUpperCase());
  if (a === undefined || b === undefined || b.length < MIN_NEAR) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [rest, meant] = [a.slice(at), b.slice(at)];
  const isSwapped = rest.slice(0, 2) === `${meant[1]}${meant[0]}` && rest.slice(2) === meant.slice(2);
  return (
    isSwapped || [rest, rest.slice(1)].some((tail) => tail === meant.slice(1)) || rest.slice(1) === meant
  );
}

/** The maximum number of characters that are compared: the work grows with its square. */
const MAX_COMPARED = 50;

/** Returns how many characters must be added, removed or replaced to make one text of another, whatever their case. */
function editDistance(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.slice(0, MAX_COMPARED).toLowerCase());
  let row = Array.from({ length: (b?.length ?? 0) + 1 }, (_, index) => index);
  for (const [i, letter] of [...(a ?? '')].entries()) {
    const next = [i + 1];
    for (const [j, before] of row.slice(0, -1).entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, before + Number(b?.[j] !== letter)));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The names, those first that are most similar to this one. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  return names
    .map((one) => ({ one, distance: editDistance(name, one) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ one }) => one);
}
