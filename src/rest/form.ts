/** What was sent under one name: text, or (by brackets or nested JSON) names with what was sent under each. */
export type FormValue = string | FormFields;
export type FormFields = Map<string, FormValue>;

/** The body cannot be read as what its content type says. */
export class UnreadableBody extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Percent signs that escape nothing stand for themselves, as in PHP; bytes that are no UTF-8 cannot be kept. */
function decodeText(bytes: string): string {
  const raw = bytes
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'));
  } catch {
    throw new UnreadableBody('The form is not in UTF-8.');
  }
}

/** `country[0][key]` is the path country, 0, key; a name without well-formed brackets is a path of its own. */
function pathOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) return [name];
  const [, head = '', brackets = ''] = match;
  return [head, ...Array.from(brackets.matchAll(/\[([^[\]]*)\]/g), ([, inner = '']) => inner)];
}

/** For each list of a form, one more than its largest number so far: what the next empty bracket takes, as in PHP. */
type NextNumbers = WeakMap<FormFields, bigint>;

function keyOf(segment: string, target: FormFields, next: NextNumbers): string {
  const free = next.get(target) ?? 0n;
  const key = segment === '' ? String(free) : segment;
  if (/^\d+$/.test(key) && BigInt(key) >= free) next.set(target, BigInt(key) + 1n);
  return key;
}

/** Where a name is sent twice, the last one counts. */
function put(fields: FormFields, path: readonly string[], value: string, next: NextNumbers): void {
  let target = fields;
  path.forEach((segment, depth) => {
    const key = depth === 0 ? segment : keyOf(segment, target, next);
    if (depth === path.length - 1) {
      target.set(key, value);
      return;
    }
    const below = target.get(key);
    const nested: FormFields = below instanceof Map ? below : new Map();
    target.set(key, nested);
    target = nested;
  });
}

/**
 * The fields of an urlencoded form or a query string, each text trimmed. `bytes` has one character for each byte.
 * @throws UnreadableBody
 */
export function parseForm(bytes: string): FormFields {
  const fields: FormFields = new Map();
  const next: NextNumbers = new WeakMap();
  for (const pair of bytes.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    put(fields, pathOf(decodeText(name)), decodeText(value).trim(), next);
  }
  return fields;
}

/** Far deeper than any field of v1; a hostile body could nest until the stack ends. */
const MAX_DEPTH = 20;

function fromJson(value: unknown, depth = 0): FormValue {
  if (depth > MAX_DEPTH) throw new UnreadableBody('The body is nested too deeply.');
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'object') return String(value).trim();
  return new Map(Object.entries(value).map(([key, inner]) => [key, fromJson(inner, depth + 1)]));
}

/**
 * The fields of a JSON object, as a form with the same names would have them; null is an empty value.
 * @throws UnreadableBody
 */
export function parseJson(body: Buffer): FormFields {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch {
    throw new UnreadableBody('The body is not valid JSON in UTF-8.');
  }
  const fields = Array.isArray(value) ? '' : fromJson(value);
  if (!(fields instanceof Map)) throw new UnreadableBody('The body must be a JSON object.');
  return fields;
}
