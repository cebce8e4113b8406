import { formatRow } from './csv-row.ts';
import { BEFORE_HEADER, type CutText, cellsIn, namesIn, plain, urlNames } from './import.ts';

/** The fields that people choose for columns, by the names that the service reads. */
export const columnFields = [
  ...(['url', 'alias', 'short_url', 'title', 'space', 'tags', 'notes', 'starts_at', 'expires_at'] as const),
];
export type ColumnField = (typeof columnFields)[number];

/** A column of a text, with the field that is chosen for it: null to read it by its name. */
export type ColumnChoice = ColumnField | 'none' | null;

/** The chosen fields of the columns, one for each. */
export type Mapping = readonly ColumnChoice[];

/** True if a text has columns with names, which may be read as other fields. */
export const hasColumns = ({ format, isJson, records }: CutText): boolean =>
  !isJson && format !== 'LINES' && records.length > 0;

/** The chosen fields of a text's columns; all null if none is chosen. */
export function fieldsOf(cut: CutText, mapping: Mapping | null): Mapping {
  const names = namesIn(cut);
  return mapping?.length === names.length ? mapping : names.map(() => null);
}

/** The names in a text. */
const setOf = (names: string): ReadonlySet<string> => new Set(names.match(/\S+/g));

/** Other names that the columns of people's own sheets may have, as the service knows them. */
const otherNames: Readonly<Partial<Record<ColumnField, ReadonlySet<string>>>> = {
  url: urlNames,
  alias: setOf(`
    kürzel kurzname nomcourt nombrecorto shortname slug backhalf nomebreve apelido kortenaam skrót takmaad zkratka
    алиас псевдоним エイリアス 别名
  `),
  short_url: setOf(`
    shortlink kurzlink kurzurl liencourt urlcourte enlacecorto urlcorta shortenedurl shortenedlink tinyurl
    trackinglink brandedlink vanityurl bitlink linkbreve linkcorto urlbreve linkcurto urlencurtada linkencurtado
    kortelink korteurl krótkilink krótkiurl krótkiadres skróconylink kısalink kısaurl kısabağlantı kortlänk korturl
    kortlink kortlenke krátkýodkaz krátkáurl zkrácenýodkaz короткаяссылка короткийurl короткепосилання 短縮url
    短縮リンク 短链接 短链 短网址
  `),
  title: setOf(`
    name titel titre título titulo titolo tytuł nazwa başlık tittel název nadpis название заголовок назва タイトル 标题
    名称
  `),
  space: setOf('espace espacio'),
  tags: setOf(`
    tag schlagwörter étiquettes etiquetas labels etichette tagi etykiety etiketler taggar štítky теги метки мітки タグ
    标签
  `),
};

/** The field that the service reads in a column of this name, as far as the console knows. */
export function fieldNamed(name: string): ColumnField | null {
  const known = plain(name);
  return columnFields.find((one) => plain(one) === known || otherNames[one]?.has(known)) ?? null;
}

/** The name of a column that is left out, by its place: no service has it. */
const unnamed = (index: number): string => `_${index + 1}`;
export const isUnnamed = (name: string): boolean => /^_\d+$/.test(name);

/** The text with the names of the chosen fields in its header. */
export function mapColumns(cut: CutText, mapping: Mapping | null): CutText {
  if (!hasColumns(cut)) return cut;
  const fields = fieldsOf(cut, mapping);
  if (fields.every((field) => field === null)) return cut;
  const names = namesIn(cut).map((name, index) => {
    const field = fields[index] ?? null;
    return field === 'none' ? unnamed(index) : (field ?? name);
  });
  const [before = ''] = BEFORE_HEADER.exec(cut.header) ?? [];
  return { ...cut, format: 'CSV', header: `${before}${formatRow(names, cut.delimiter)}\n` };
}

/** The fields with another one for a column; a column that had it is left out. */
export const withField = (cut: CutText, fields: Mapping, at: number, field: ColumnChoice): Mapping => {
  const names = namesIn(cut);
  const isTaken = (one: ColumnChoice, index: number) =>
    field !== null && field !== 'none' && (one ?? fieldNamed(names[index] ?? '')) === field;
  return fields.map((one, index) => (index === at ? field : isTaken(one, index) ? 'none' : one));
};

/** The number of records that give examples, and of examples of a column. */
const [MAX_LOOKED, MAX_EXAMPLES] = [50, 3];

/** Some values of each column. */
export function examplesIn({ records, delimiter, ...cut }: CutText): readonly (readonly string[])[] {
  const rows = records.slice(0, MAX_LOOKED).map(({ text }) => cellsIn(text, delimiter));
  return namesIn({ ...cut, delimiter }).map((_, index) => {
    const values = rows.map((cells) => cells[index] ?? '').filter((cell) => cell !== '');
    return [...new Set(values)].slice(0, MAX_EXAMPLES);
  });
}
