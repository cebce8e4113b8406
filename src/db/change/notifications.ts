import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { within } from '../../within.ts';

/** How long after the connection broke off it is made again, in milliseconds. */
const AGAIN_AFTER = 1_000;

/** A connection that hangs is given up, so that another is made. */
const END_TIMEOUT = 1_000;
const LIMITS = { keepAlive: true, connectionTimeoutMillis: 5_000, query_timeout: 5_000 };

/** Who hears of notifications. */
export interface Listener {
  onNotification(payload: string): void;
  /** Is awaited whenever notifications begin to arrive, also after they did not for a while. */
  onListening?(): Promise<void>;
}

/**
 * PostgreSQL's notifications on one channel, by a connection of its own. A pooler may take the LISTEN and deliver nothing:
 * so `works` is true only after a notification of our own came back.
 */
export class Notifications {
  readonly #url: string;
  readonly #channel: string;
  readonly #listener: Listener;
  #wanted = false;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #works = false;

  constructor(url: string, channel: string, listener: Listener) {
    this.#url = url;
    this.#channel = channel;
    this.#listener = listener;
  }

  /** Whether notifications arrive just now. */
  get works(): boolean {
    return this.#works;
  }

  start(): void {
    this.#wanted = true;
    // Loaded here, since a start on SQLite has no use for it.
    void import('pg').then(({ default: { Client } }) => {
      if (this.#wanted) this.#listen(new Client({ connectionString: this.#url, ...LIMITS }));
    });
  }

  #listen(client: Client): void {
    // Beside the channel: what only proves the connection is no news to the other processes.
    const probes = `${this.#channel}_probe`;
    const probe = randomUUID();
    this.#client = client;
    const again = () => {
      if (this.#client !== client) return;
      this.#works = false;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.start(), AGAIN_AFTER).unref();
    };
    const begin = async () => {
      await this.#listener.onListening?.();
      this.#works = this.#client === client;
    };
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== probes) this.#listener.onNotification(payload);
      else if (payload === probe) begin().catch(again);
    });
    client.on('error', again);
    client.on('end', again);
    client
      .connect()
      .then(() => client.query(`LISTEN ${this.#channel}; LISTEN ${probes}`))
      .then(() => client.query('SELECT pg_notify($1, $2)', [probes, probe]))
      .catch(again);
  }

  /** Notifies all who listen, this process included; nobody where the connection is away. */
  async notify(): Promise<void> {
    await this.#client?.query('SELECT pg_notify($1, $2)', [this.#channel, '']);
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    this.#works = false;
    if (client)
      await within(
        END_TIMEOUT,
        client.end().catch(() => {}),
      );
  }
}
