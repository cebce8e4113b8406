/** The kinds of names. A name of one kind is never that of another. */
export type NameKind =
  | ('key' | 'session' | 'guess' | 'mail')
  | ('account' | 'network' | 'sender')
  | ('link' | 'destination' | 'statistics' | 'trigrams' | 'search')
  | ('answer' | 'schema' | 'space' | 'pixel');

/**
 * Makes a name for a cache, table, lock, limit or turn. It begins with its kind. Different parts have different names, whatever
 * texts they are.
 */
export function nameFor(kind: NameKind, ...parts: readonly (string | number)[]): string {
  let name: string = kind;
  for (const part of parts) {
    const text = String(part);
    name += ` ${text.length}:${text}`;
  }
  return name;
}
