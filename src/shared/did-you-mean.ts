/** The minimum length of a name: names similar to shorter ones, such as PORT, often mean something else. */
const MIN_NEAR = 6;

/** Whether two names differ only in underscores, in one character, or in the order of two adjacent characters. */
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
