import { pairs, table } from './output.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value in a cell: lists of plain values are joined, others are JSON. */
function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return isFields(value) ? JSON.stringify(value) : String(value);
  const names = value.map((one) => {
    const values = isFields(one) ? Object.values(one) : [one];
    return values.length === 1 && !isFields(values[0]) && !Array.isArray(values[0])
      ? String(values[0])
      : null;
  });
  return names.includes(null) ? JSON.stringify(value) : names.join(', ');
}

/** The fields of a record, those of records in it by paths such as `space.name`. */
function flatten(record: Fields, prefix = ''): (readonly [string, string | null])[] {
  return Object.entries(record).flatMap(([name, value]) =>
    isFields(value)
      ? flatten(value, `${prefix}${name}.`)
      : name === '__typename'
        ? []
        : [[`${prefix}${name}`, cellOf(value)] as const],
  );
}

/** The records of a list or a connection; null for anything else. */
function recordsOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isFields(value)) return null;
  if (Array.isArray(value.nodes)) return value.nodes;
  if (!Array.isArray(value.edges)) return null;
  return value.edges.map((edge) => (isFields(edge) ? (edge.node ?? edge) : edge));
}

function listText(records: readonly unknown[], isTerminal: boolean): string {
  if (records.length === 0) return 'There are no records.';
  const rows = records.map((one) => new Map(isFields(one) ? flatten(one) : [['value', cellOf(one)]]));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const header = names.map((name) => name.toUpperCase());
  const cells = rows.map((row) => names.map((name) => row.get(name)));
  return table(header, cells, isTerminal);
}

/** Returns the data of an operation for people: a table for a list, pairs for a record, and one after another for several. */
export function answerText(value: unknown, isTerminal: boolean): string {
  const records = recordsOf(value);
  if (records !== null) return listText(records, isTerminal);
  if (!isFields(value)) return cellOf(value) ?? 'There is no value.';
  const lists = Object.entries(value).filter(([, one]) => recordsOf(one)?.some(isFields));
  const others = pairs(
    flatten(
      Object.fromEntries(Object.entries(value).filter((one) => !lists.some(([name]) => name === one[0]))),
    ),
  );
  const parts = lists.map(([name, one]) => `${name}\n${answerText(one, isTerminal)}`);
  return [...(others === '' ? [] : [others]), ...parts].join('\n\n');
}
