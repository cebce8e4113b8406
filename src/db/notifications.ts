import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** How long after the connection broke off it is made again, in milliseconds. */
const AGAIN_AFTER = 1_000;

type Listener = (payload: string) => void;

/**
 * PostgreSQL's notifications on one channel, by a connection of its own. A pooler may take the LISTEN and deliver nothing:
 * so `works` is true only after a notification of our own came back.
 */
export class Notifications {
  readonly #url: string;
  readonly #channel: string;
  readonly #listeners: Listener[] = [];
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #works = false;

  constructor(url: string, channel: string) {
    this.#url = url;
    this.#channel = channel;
  }

  /** Whether notifications arrive just now. */
  get works(): boolean {
    return this.#works;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  start(): void {
    const client = new Client({ connectionString: this.#url, keepAlive: true });
    const probe = randomUUID();
    this.#client = client;
    const again = () => {
      if (this.#client !== client) return;
      this.#works = false;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.start(), AGAIN_AFTER).unref();
    };
    client.on('notification', ({ payload = '' }) => {
      if (payload === probe) this.#works = true;
      for (const listener of this.#listeners) listener(payload);
    });
    client.on('error', again);
    client.on('end', again);
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}`))
      .then(() => client.query('SELECT pg_notify($1, $2)', [this.#channel, probe]))
      .catch(again);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    this.#works = false;
    await client?.end().catch(() => {});
  }
}
