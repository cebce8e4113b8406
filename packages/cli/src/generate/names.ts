/** Words that cannot name a function of a module. */
const RESERVED: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally
  for function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof var void while with yield`.split(/\s+/),
);

/** Returns the name of an operation's function: `findLinks` for `find-links`. Different names stay different. */
export function functionName(name: string): string {
  const written = name.replaceAll(/-([a-z])?/g, (_, letter?: string) => letter?.toUpperCase() ?? '_');
  return RESERVED.has(written) ? `${written}$` : written;
}

/** Returns the beginning of the names of an operation's types: `FindLinks` for `find-links`. */
export function typeName(name: string): string {
  const written = functionName(name).replace('$', '');
  return written.charAt(0).toUpperCase() + written.slice(1);
}

/** Returns a text as a literal in single quotes. */
export function literal(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Returns a doc comment; nothing without a text. */
export function comment(text: string | null | undefined, indent = ''): string {
  const line = (text ?? '').replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return line === '' ? '' : `${indent}/** ${line} */\n`;
}
