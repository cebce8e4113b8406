/**
 * Makes a name for a cache, table, lock, limit or turn. It begins with its kind, so that a name of one kind is never that of
 * another. Different parts have different names, whatever texts they are.
 * @param kind a word
 */
export function nameFor(kind: string, ...parts: readonly (string | number)[]): string {
  let name: string = kind;
  for (const part of parts) {
    const text = String(part);
    name += ` ${text.length}:${text}`;
  }
  return name;
}
