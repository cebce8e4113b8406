import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { withTimeout } from '../../tools/timeout.ts';
import { namedSchema } from '../url.ts';
import { connect, connectTo, newClient } from './client.ts';
import { DEFAULT_SCHEMA, makeChannelName } from './schema.ts';
import { inspect } from './session.ts';

/** Milliseconds before reconnecting. */
const RECONNECT_DELAY = 1_000;

/** A connection that hangs is closed, and replaced by a new one. */
const END_TIMEOUT = 1_000;
const LIMITS = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
/** Returns what the connection of an installation is called in `pg_stat_activity`. */
const nameIn = (schema: string) => makeChannelName('linkspace notifications', schema);

/** True if a process of the service listens in the database at `url`. */
export async function isListenedTo(url: string): Promise<boolean> {
  const client = await connectTo(url);
  try {
    const { schema } = await inspect(client, namedSchema(url));
    const { rows } = await client.query(
      'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [nameIn(schema ?? DEFAULT_SCHEMA)],
    );
    return rows.length > 0;
  } finally {
    await client.end();
  }
}

export interface Listener {
  onNotification(payload: string): void;
  /** Awaited whenever notifications begin to arrive, also after an interruption. */
  onListening?(): Promise<void>;
}

/**
 * PostgreSQL's notifications on one channel, with a connection of its own. A pooler may accept LISTEN and deliver nothing:
 * so `works` is true only after our own notification has arrived.
 */
export class Notifications {
  readonly #url: string;
  readonly #name: string;
  readonly #channel: string;
  readonly #listener: Listener;
  #wanted = false;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #works = false;

  constructor(
    { directUrl, schema }: { readonly directUrl: string; readonly schema: string },
    channel: string,
    listener: Listener,
  ) {
    this.#url = directUrl;
    this.#name = nameIn(schema);
    this.#channel = makeChannelName(channel, schema);
    this.#listener = listener;
  }

  /** True while notifications arrive. */
  get works(): boolean {
    return this.#works;
  }

  start(): void {
    this.#wanted = true;
    void newClient(this.#url, { application_name: this.#name, ...LIMITS }).then((client) => {
      if (this.#wanted) this.#listen(client);
    });
  }

  #listen(client: Client): void {
    // A separate channel, so that other processes do not receive the probes.
    const probes = `${this.#channel}_probe`;
    const probe = randomUUID();
    this.#client = client;
    const reconnect = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#works = false;
      client.end().catch(() => {});
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.start(), RECONNECT_DELAY).unref();
    };
    const begin = async () => {
      await this.#listener.onListening?.();
      this.#works = this.#client === client;
    };
    client.on('notification', ({ channel, payload = '' }) => {
      if (this.#client !== client) return;
      if (channel !== probes) this.#listener.onNotification(payload);
      else if (payload === probe) begin().catch(reconnect);
    });
    client.on('error', reconnect);
    client.on('end', reconnect);
    connect(client)
      .then(() => client.query(`LISTEN ${this.#channel}; LISTEN ${probes}`))
      .then(() => client.query('SELECT pg_notify($1, $2)', [probes, probe]))
      .catch(reconnect);
  }

  /** Notifies all listening processes, including this one, which recognizes its own payload; does nothing without a connection. */
  async notify(payload: string): Promise<void> {
    await this.#client?.query('SELECT pg_notify($1, $2)', [this.#channel, payload]);
  }

  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    this.#works = false;
    if (client)
      await withTimeout(
        END_TIMEOUT,
        client.end().catch(() => {}),
      );
  }
}
