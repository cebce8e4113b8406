// Writes, visits and subscriptions that go on whatever happens, and what must hold of them afterwards.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { Caller } from '../../src/testing/caller.ts';
import { subscribe } from '../../test/support/events.ts';
import { visit } from '../../test/support/visit.ts';

/** Milliseconds for which a client waits for an answer. */
const PATIENCE = 15_000;

const CREATE = `mutation Create($input: CreateLinkInput!) {
  createLink(input: $input) { __typename ... on Link { id } }
}`;
const WATCH = 'subscription Watch { changes(filter: { kind: LINK }) { recordId action } }';

interface Watched {
  readonly data: { readonly changes: { readonly recordId: string; readonly action: string } };
}

/** Creates one link after the other, each again with the same key until it is acknowledged. */
export class Writer {
  /** The ids of acknowledged links. */
  readonly ids: string[] = [];
  readonly #caller: Caller;
  #lastAt = performance.now();
  #longest = 0;
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#done = this.#work();
  }

  async #work(): Promise<void> {
    for (let key = randomUUID(); !this.#isOver; await setTimeout(20)) {
      const id = await this.#create(key).catch(() => undefined);
      const now = performance.now();
      this.#longest = Math.max(this.#longest, now - this.#lastAt);
      if (id === undefined) continue;
      this.ids.push(id);
      this.#lastAt = now;
      key = randomUUID();
    }
  }

  async #create(key: string): Promise<string | undefined> {
    const response = await this.#caller.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ query: CREATE, variables: { input: { url: `https://example.com/${key}` } } }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { data } = (await response.json()) as { data?: { createLink?: { id?: string } } };
    return data?.createLink?.id;
  }

  /** For how many seconds nothing was acknowledged, at most, since the last call. */
  longestPause(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return Math.round(longest / 100) / 10;
  }

  stop(): Promise<void> {
    this.#isOver = true;
    return this.#done;
  }
}

export interface Opened {
  readonly alias: string;
  /** The answer's status; 0 if there was none. */
  readonly status: number;
}

/** Opens one link after the other, at a steady rate. */
export class Visitor {
  readonly opened: Opened[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<unknown>>();

  /** @param next the alias of the next link; undefined if there is none */
  constructor(origin: string, every: number, next: () => string | undefined) {
    this.#timer = setInterval(() => {
      const alias = next();
      if (alias === undefined) return;
      const answer = Promise.race([visit(origin, `/${alias}`), setTimeout(PATIENCE, { status: 0 })])
        .catch(() => ({ status: 0 }))
        .then(({ status }) => {
          this.opened.push({ alias, status });
          this.#open.delete(answer);
        });
      this.#open.add(answer);
    }, every);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }
}

/** Hears of every change, by one connection after the other. */
export class Watcher {
  /** The ids of links that were created, as often as it was told. */
  readonly created: string[] = [];
  connections = 0;
  #isOver = false;
  #close: () => void = () => {};

  constructor(caller: Caller) {
    void this.#watch(caller);
  }

  async #watch(caller: Caller): Promise<void> {
    for (; !this.#isOver; await setTimeout(200)) {
      const events = await subscribe<Watched>(caller, WATCH).catch(() => null);
      if (events === null || events.status !== 200) continue;
      this.connections++;
      this.#close = events.close;
      const note = () => {
        for (const { data } of events.seen.splice(0))
          if (data.changes.action === 'CREATED') this.created.push(data.changes.recordId);
      };
      const timer = setInterval(note, 50);
      await events.ended;
      clearInterval(timer);
      note();
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#close();
  }
}

/** Reads the database's clicks of the links with these aliases. */
export async function countClicks(
  db: pg.Client,
  aliases: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query(
    'SELECT "alias", "clicks"::int FROM "Link" JOIN "LinkCounter" ON "linkId" = "id" WHERE "alias" = ANY ($1)',
    [aliases],
  );
  return new Map(rows.map(({ alias, clicks }) => [alias, clicks]));
}

/** Which of these links the database lacks. */
export async function findMissing(db: pg.Client, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query('SELECT "id"::text FROM "Link" WHERE "id" = ANY ($1::int[])', [ids]);
  const there = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
