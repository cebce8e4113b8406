/** The keys of an object that has no others than its type says. */
export function keysOf<Key extends string>(values: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(values) as Key[]; // Object.keys loses the type of the keys.
}
