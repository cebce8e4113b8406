import { GraphQLError } from 'graphql';

export interface Limit {
  readonly max: number;
  readonly name: string;
  /** Advice: a sentence. */
  readonly advice?: string;
}

/** The limits of an operation, with their names in messages. A page of records with all of their fields is far below them. */
const table = {
  /** Words and punctuation of the document. */
  tokens: { max: 10_000, name: 'number of tokens' },
  /** Lines of the document: to report an error, the parser counts them from the first one. */
  lines: { max: 5_000, name: 'number of lines' },
  /** Nested brackets of all kinds, in the document or in its variables. */
  nesting: { max: 100, name: 'nesting' },
  /** Characters of a name or an alias, which an answer repeats for every record. */
  nameLength: { max: 100, name: 'length of a name' },
  fragments: { max: 200, name: 'number of fragments' },
  operations: { max: 50, name: 'number of operations' },
  aliases: { max: 200, name: 'number of aliases' },
  directives: { max: 50, name: 'number of directives' },
  depth: { max: 15, name: 'depth' },
  /** Selected fields; those of a fragment count each time it is used. */
  breadth: { max: 2_000, name: 'number of fields' },
  /** Comparisons of fields: one for each, and two for each pair that has the same name in the answer. */
  comparisons: { max: 200_000, name: 'number of comparisons between fields of the same name' },
  /** Those in a document that is saved: many are checked for one request. */
  savedComparisons: {
    max: 20_000,
    name: 'number of comparisons between fields of the same name',
    advice: 'A document that is saved may need fewer than others.',
  },
  /** Values that are given to fields, objects and lists included; each as often as its field can run. */
  values: { max: 100_000, name: 'number of given values' },
  /** Names in an object of a body in JSON: no type has as many fields. */
  names: { max: 10_000, name: 'number of names in an object' },
  /** Characters of a text that is given to a field, and of all of them, each as often as its field can run. */
  textLength: { max: 20_000, name: 'length of a text' },
  text: { max: 4_000_000, name: 'size of texts' },
  /** Values of the largest possible answer, weighted by length, and the work for them. */
  cost: { max: 300_000, name: 'cost' },
  /** The cost of an event of a subscription. */
  event: { max: 3_000, name: 'cost of each event', advice: 'Ask for the rest in a query after the event.' },
  /** Records that are created, updated or deleted. */
  records: { max: 100, name: 'number of changed records' },
  /** The cost of lists, counts, searches and statistics below the changed records, with an Idempotency-Key: others wait. */
  keyedReads: {
    max: 2_000,
    name: 'cost of lists, counts, searches and statistics below the changed records',
    advice: 'With an Idempotency-Key, ask for them separately, in a query after the mutation.',
  },
} satisfies Record<string, Limit>;

/** The limits of a table, and the error for an operation that is above one of them. */
export function defineLimits<Measure extends string>(of: Readonly<Record<Measure, Limit>>) {
  const entries = Object.entries<Limit>(of).map(([measure, { max }]) => [measure, max]);
  return {
    limits: Object.fromEntries(entries) as Record<Measure, number>, // Object.fromEntries loses the type of the keys.
    tooLarge(measure: Measure, size: number): GraphQLError {
      const { max, name, advice } = of[measure];
      const message = `The operation's ${name}, ${size}, is above the limit of ${max}.`;
      return new GraphQLError(advice ? `${message} ${advice}` : message, {
        extensions: { code: 'TOO_COSTLY', [measure]: size, limit: max, http: { status: 400 } },
      });
    },
  };
}

export const { limits, tooLarge } = defineLimits(table);

/** The error of a document for which a recursive function has too little stack; null for any other error. */
export function findOverflow(error: unknown): GraphQLError | null {
  const isOverflow = error instanceof RangeError && error.message.startsWith('Maximum call stack');
  return isOverflow ? tooLarge('nesting', limits.tokens) : null;
}

/** Adds up its arguments, and throws beyond the limit. */
export function bounded(limit: number, error: (sum: number) => Error): (more: number) => void {
  let sum = 0;
  return (more) => {
    sum += more;
    if (sum > limit) throw error(sum);
  };
}
