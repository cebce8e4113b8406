import { join, name, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';

/** The columns of "Link" with a trigram index on PostgreSQL; SQLite's has the plain key with the URL. */
export const indexedColumns = ['titleKey', 'aliasKey', 'urlKey', 'plainKey'] as const;

/** Searchable texts: a column, or all of them and names. */
export const searchedTexts = {
  ...{ titleKey: name('titleKey'), aliasKey: name('aliasKey'), urlKey: name('urlKey') },
  anywhere: sql`concat_ws(' ', ${join(indexedColumns.map(name))})`,
};

/** A search for a text in a column of an account's links; or, anywhere, for all words of the text, which a space separates. */
export interface LinkSearch {
  readonly accountId: number;
  readonly column: keyof typeof searchedTexts;
  readonly text: string;
}

/** A search for links of an account whose external ids begin with a text. */
export interface ExternalIdSearch {
  readonly accountId: number;
  readonly column: 'externalId';
  readonly text: string;
}

/** A column of an account's links. */
export type SearchedColumn = Omit<LinkSearch, 'text'>;

/** A word of a search anywhere, with the conditions for links that have it in the name of their space or of a tag. */
export interface NamedWord {
  readonly word: string;
  readonly named: readonly Sql[];
}

/**
 * A database's way to find links by their texts. The condition alone finds the right links, but may have the database read all of
 * an account's links. So candidates are looked up first where an index has few, and the condition is checked for these only.
 */
export interface TextIndex {
  /** Maximum number of candidates with which a search counts as selective. */
  readonly maxSelective: number;
  /** Returns the condition for links whose column contains the text. */
  contains(db: Data, column: SearchedColumn['column'], text: string): Sql;
  /** Finds the ids of links that may contain a text long enough for the index; null if there are many, or the planner does it. */
  findCandidates(db: Data, search: LinkSearch): Promise<number[] | null>;
  /**
   * Finds the ids of links that may have all of the words; null if there are many.
   * @param condition the condition for links that have them
   */
  findCandidatesAnywhere(
    db: Data,
    accountId: number,
    words: readonly NamedWord[],
    condition: Sql,
  ): Promise<number[] | null>;
}

/** The shortest text that the indexes can find, in characters. */
const MIN_INDEXED = 3;
/**
 * Maximum number of a text's characters that are looked up in the index. Each trigram is looked up with all
 * occurrences.
 */
const MAX_INDEXED = 32;

/** True if the indexes can find the text. */
export function isLong(text: string): boolean {
  return [...text].length >= MIN_INDEXED;
}

/** Cuts the text to the part that is looked up in the index. */
export function cutToIndexed(text: string): string {
  return [...text].slice(0, MAX_INDEXED).join('');
}
