import { isIP } from 'node:net';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import type { Database } from '../db/database.ts';
import { createKey } from '../domain/access/api-key.ts';
import { giveMembership } from '../domain/access/member.ts';
import type { Role, Scope } from '../domain/access/role.ts';
import { beginSession } from '../domain/access/session.ts';
import { createUser, findUserByEmail } from '../domain/access/user.ts';
import { OPERATOR, recordingChanges } from '../domain/change/change.ts';
import { hashPassword } from '../domain/password.ts';
import type { Mail } from '../engine/outgoing/mail.ts';
import { Turns } from '../engine/tools/turns.ts';
import { Person } from './person.ts';
import { CHEAP, startTestServer } from './server.ts';
import { BROWSER, type Visited, visit } from './visit.ts';

/** The inputs of a service that tests choose. */
export interface LinkspaceOptions {
  /** The time at the start, at which the clock stands until `advance`: by default 2026-11-20, noon in UTC. */
  readonly now?: Date;
  /** Returns a whole number from 0 that is less than `below`. It chooses aliases. */
  readonly random?: (below: number) => number;
  /** Returns the TXT records of a name in DNS. With it, domains have to be verified before they serve visitors. */
  readonly resolveTxt?: (name: string) => readonly string[] | Promise<readonly string[]>;
  /** Returns the addresses of the host of a webhook. Without it, only addresses of this machine are found. */
  readonly resolveHost?: (host: string) => readonly string[] | Promise<readonly string[]>;
  /** The country of visitors for whom `visit` names none, such as DE; unknown by default. */
  readonly country?: string;
  /** Called with each mail, which `mails` has, too. */
  readonly sendMail?: (mail: Mail) => unknown;
}

export interface KeyOptions {
  /** By default read and write. */
  readonly scopes?: readonly Scope[];
  /** The end of the key; none by default. */
  readonly expiresAt?: Date;
}

/** A key as a text, which makes further keys of its account when it is called. */
export type Key = string & ((options?: KeyOptions) => Promise<string>);

export interface PersonOptions {
  /** The role in the account: OWNER by default. */
  readonly role?: Role;
  readonly name?: string;
  /** An address of nobody by default. A person who is there already becomes a member. */
  readonly email?: string;
  /** A password to sign in with; none by default. */
  readonly password?: string;
}

/** A person who is signed in, and whose requests have the cookie of their session. */
export interface SignedIn extends Person {
  readonly email: string;
  readonly role: Role;
}

/** An account with a key. */
export interface TestAccount {
  readonly name: string;
  readonly id: string;
  /** A key with all scopes. */
  readonly key: Key;
  /** Makes a member of the account, who is signed in. */
  person(options?: PersonOptions): Promise<SignedIn>;
}

export interface VisitorOptions {
  /** A browser's by default. */
  readonly userAgent?: string;
  readonly country?: string;
  /** The languages that a browser sends, such as `de, en;q=0.5`. */
  readonly language?: string;
  /** The time of the visit; by default the clock's, which does not move. */
  readonly at?: Date;
}

/** A whole service of its own. */
export interface Linkspace extends Omit<TestAccount, 'name' | 'id'> {
  /** Its address, which is also that of short links. */
  readonly url: string;
  /** A client with the key. */
  readonly client: Client;
  /** The account with this name, which is made if there is none. */
  account(name: string): Promise<TestAccount>;
  /** Opens a short URL as a visitor who does not follow redirects. The visit is counted once this resolves. */
  visit(shortUrl: string, options?: VisitorOptions): Promise<Visited>;
  /** Moves the clock. */
  advance(milliseconds: number): void;
  /** The mails that were sent so far. */
  mails(): readonly Mail[];
  /** Stops the service and deletes its database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The account of `Linkspace.key`. */
const DEFAULT = 'default';

/** Makes a function that is also a text: it has the methods of texts, and is used as the text wherever one is needed. */
function callable(text: string, make: (options?: KeyOptions) => Promise<string>): Key {
  const itself = () => text;
  Object.setPrototypeOf(make, String.prototype);
  Object.defineProperties(make, {
    length: { value: text.length },
    toString: { value: itself },
    valueOf: { value: itself },
    toJSON: { value: itself },
    [Symbol.toPrimitive]: { value: itself },
  });
  return make as Key; // Types have no primitive that can be called.
}

/** Accounts of a service, and their keys and people. */
class Accounts {
  readonly #db: Database;
  readonly #address: { readonly origin: string; readonly host: string };
  readonly #now: () => Date;
  #people = 0;

  constructor(db: Database, address: { readonly origin: string; readonly host: string }, now: () => Date) {
    this.#db = db;
    this.#address = address;
    this.#now = now;
  }

  async open(name: string): Promise<TestAccount> {
    const makeKey = async ({ scopes = ['read', 'write'], expiresAt }: KeyOptions = {}): Promise<string> => {
      const input = { account: name, scopes: [...scopes], expiresAt: expiresAt ?? null };
      return (await createKey(this.#db, input, this.#now())).key;
    };
    const key = callable(await makeKey(), makeKey);
    const { id } = await this.#db.prisma.account.findUniqueOrThrow({ where: { name } });
    return { name, id: String(id), key, person: (options) => this.#signIn(id, options) };
  }

  async #signIn(accountId: number, options: PersonOptions = {}): Promise<SignedIn> {
    const number = ++this.#people;
    const { role = 'OWNER', name = `Person ${number}`, email = `person-${number}@example.com` } = options;
    const now = this.#now();
    const { password = null } = options;
    const hash = password && (await hashPassword('test', password, CHEAP));
    const user = await recordingChanges(this.#db, { ...OPERATOR, accountId }, now, async (changing) => {
      const known = await findUserByEmail(changing.tx, email);
      const found = known ?? (await createUser(changing.tx, { name, email }, hash, now));
      await giveMembership(changing, { accountId, userId: found.id }, role, now);
      return found;
    });
    const { token } = await beginSession(this.#db, user, 'a test', now);
    const person = new Person(this.#address);
    person.cookie = `linkspace=${token}`;
    return Object.assign(person, { email, role });
  }
}

/** Starts a whole service on a port and a SQLite file of its own. */
export async function startLinkspace(options: LinkspaceOptions = {}): Promise<Linkspace> {
  const { now, random, resolveTxt, resolveHost, country: usual, sendMail } = options;
  const mails: Mail[] = [];
  const server = await startTestServer({
    ...(now && { now }),
    ...(random && { random }),
    ...(resolveTxt && { resolveTxt: async (name) => [...(await resolveTxt(name))], verifiesDomains: true }),
    ...(resolveHost && {
      async resolveHost(host) {
        return (await resolveHost(host)).map((address) => ({ address, family: isIP(address) }));
      },
    }),
    async sendMail(mail) {
      mails.push(mail);
      await sendMail?.(mail);
    },
    background: true,
    baseUrl: undefined,
    geoipDatabase: 'off',
  });
  const { origin, clock } = server;
  server.hosts.set('localhost', ['127.0.0.1']);
  const host = `localhost:${new URL(origin).port}`;
  const accounts = new Accounts(server.database, { origin, host }, () => clock.now);
  /** The clock's time, except for a visit that has one of its own. */
  let time = clock.now;
  /** Visits come one after another. */
  const turns = new Turns({ max: 1 });
  async function visitAt(shortUrl: string, { at, ...visitor }: VisitorOptions): Promise<Visited> {
    const { host: named, pathname, search } = new URL(shortUrl);
    const { userAgent = BROWSER, country = usual, language } = visitor;
    const headers = {
      Host: named,
      'User-Agent': userAgent,
      ...(country !== undefined && { 'X-Country': country }),
      ...(language !== undefined && { 'Accept-Language': language }),
    };
    clock.now = at ?? time;
    try {
      const visited = await visit(origin, `${pathname}${search}`, { headers });
      await server.flush();
      return visited;
    } finally {
      clock.now = time;
    }
  }
  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= server.stop();
    return closed;
  }
  try {
    const { key, person } = await accounts.open(DEFAULT);
    const url = `http://${host}`;
    return {
      url,
      key,
      client: createClient({ url, key: `${key}` }),
      person,
      account: (name) => accounts.open(name),
      visit: (shortUrl, given = {}) => turns.take('', () => visitAt(shortUrl, given)),
      advance(milliseconds) {
        time = new Date(time.getTime() + milliseconds);
        clock.now = time;
      },
      mails: () => [...mails],
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
