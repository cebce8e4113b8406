import type { Pool, PoolClient } from 'pg';
import { Turns } from '../../tools/turns.ts';
import { currentAccount } from '../current-account.ts';

/** The part of the pool that an account may hold while others wait, and at most; however small the pool is, two connections. */
const SHARE = 1 / 4;
const MOST = 3 / 5;
const MIN_SHARE = 2;
/** After how long a wait for a connection all accounts keep to their shares, and for how long, in milliseconds. */
const LONG_WAIT = 1_000;
const STRICT_FOR = 15_000;

type Callback = Parameters<Pool['connect']>[0];

/** Divides a pool's connections: an account's share while others wait, its maximum, and the maximum of all accounts. */
function dividePool(size: number) {
  const atLeastTwo = (part: number) => Math.max(MIN_SHARE, Math.floor(size * part));
  const [share, most] = [atLeastTwo(SHARE), atLeastTwo(MOST)];
  return { share, most, all: size > most + 1 ? size - 1 : size };
}

/**
 * Has accounts take turns for the connections of a pool, so that none keeps others waiting by statements that wait for a lock or
 * take long. Accounts with less than a quarter of the pool come first. Beyond that, an account leaves two fifths to others, and
 * all accounts leave a connection to the service itself. Returns a function to call when the size of the pool changes.
 */
export function shareFairly(pool: Pool): (size: number) => void {
  const { max, connectionTimeoutMillis } = pool.options;
  let parts = dividePool(max);
  let strictUntil = Number.NEGATIVE_INFINITY;
  const turns = new Turns<number>({
    max: parts.all,
    maxOfOwner: () => (performance.now() < strictUntil ? parts.share : parts.most),
    share: () => parts.share,
    ...(connectionTimeoutMillis && { timeout: connectionTimeoutMillis }),
    refusal: () => new Error('timeout exceeded when trying to connect'),
  });
  const connectNow = pool.connect.bind(pool);

  async function take(accountId: number): Promise<PoolClient> {
    const isBelowShare = turns.runningOf(accountId) < parts.share;
    const waitsSince = performance.now();
    const turn = turns.begin(accountId);
    if (turn)
      await turn.finally(() => {
        const now = performance.now();
        if (isBelowShare && now - waitsSince > LONG_WAIT) strictUntil = now + STRICT_FOR;
      });
    try {
      const client = await connectNow();
      const { release } = client;
      client.release = (error) => {
        release.call(client, error);
        turns.end(accountId);
      };
      return client;
    } catch (error) {
      turns.end(accountId);
      throw error;
    }
  }

  function connect(): Promise<PoolClient>;
  function connect(callback: Callback): void;
  function connect(callback?: Callback): Promise<PoolClient> | undefined {
    const accountId = currentAccount();
    if (accountId === undefined) return callback ? void connectNow(callback) : connectNow();
    const taken = take(accountId);
    if (callback === undefined) return taken;
    taken.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
  pool.connect = connect;
  return (size) => {
    parts = dividePool(size);
    turns.resize(parts.all);
  };
}
