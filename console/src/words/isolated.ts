/** Letters that are written from right to left, and characters that change the direction of a text. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|\p{Bidi_Control}/u;

/** Isolates a text for places without markup: it does not change the direction of the text around it. */
export const isolated = (text: string): string =>
  RIGHT_TO_LEFT.test(text) && !text.startsWith('\u2068') ? `\u2068${text}\u2069` : text;

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const known = new WeakMap<object, object>();

function wrapped(value: unknown): unknown {
  if (!isPlain(value) && typeof value !== 'function') return value;
  const made = known.get(value) ?? isolating(value);
  known.set(value, made);
  return made;
}

/** Wraps texts so that their functions isolate the texts that they are given. */
export function isolating<Texts extends object>(texts: Texts): Texts {
  return new Proxy(texts, {
    get: (target, name) => wrapped(Reflect.get(target, name)),
    apply: (target, self, given: unknown[]) =>
      typeof target === 'function'
        ? Reflect.apply(
            target,
            self,
            given.map((one) => (typeof one === 'string' ? isolated(one) : one)),
          )
        : undefined,
  });
}
