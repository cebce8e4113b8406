import DataLoader from 'dataloader';
import { ListReader } from '../../engine/lists/list-reader.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import type { Client, Data } from '../database.ts';
import { StatisticsReader } from '../statistics/reader.ts';
import { type LinkSelect, type LinkSelection, linkList } from './link-list.ts';
import { makeSearchCondition, type SearchCondition } from './search.ts';
import type { ExternalIdSearch, LinkSearch } from './search-text.ts';

type Search = LinkSearch | ExternalIdSearch;

/** Reads the lists of an account, its links by selections and searches, and its statistics. */
export class AccountReader extends ListReader<Client> {
  readonly #searches: DataLoader<Search, SearchCondition | null, string>;
  #statistics: StatisticsReader | undefined;

  constructor(db: Data, accountId: number, signal: AbortSignal) {
    super(db, accountId, signal);
    this.#searches = new DataLoader(
      (searches) =>
        Promise.all(searches.map((search) => this.long.take((by) => makeSearchCondition(by, search)))),
      { cacheKeyFn: ({ accountId, column, text }) => nameFor('search', accountId, column, text) },
    );
  }

  /** Its statistics, which most requests do not need. */
  get statistics(): StatisticsReader {
    this.#statistics ??= new StatisticsReader(this.db, this.long, this.signal);
    return this.#statistics;
  }

  /** The list of these links, and an expression for their number. */
  links(selection: LinkSelection, select: LinkSelect): ReturnType<typeof linkList> {
    return linkList(selection, select, this.db.dialect);
  }

  /** The condition for links of the account that the search finds; null if it cannot find all of them yet. */
  async makeSearchCondition(search: Search): Promise<SearchCondition | null> {
    try {
      return await this.#searches.load(search);
    } finally {
      this.#searches.clear(search); // The lists of twenty spaces share one statement in a tick; later ones read again.
    }
  }
}
