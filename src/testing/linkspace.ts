import { isIP } from 'node:net';
import { createClient } from '../../packages/client/src/index.ts';
import type {
  Key,
  KeyOptions,
  Linkspace,
  LinkspaceOptions,
  PersonOptions,
  SignedIn,
  TestAccount,
  VisitorOptions,
} from '../../packages/linkspace/testing.d.ts';
import type { Database } from '../db/database.ts';
import { createKey } from '../domain/access/api-key.ts';
import { giveMembership } from '../domain/access/member.ts';
import { beginSession } from '../domain/access/session.ts';
import { createUser, findUserByEmail } from '../domain/access/user.ts';
import { OPERATOR, recordingChanges } from '../domain/change/change.ts';
import { hashPassword } from '../domain/password.ts';
import type { Mail } from '../engine/outgoing/mail.ts';
import { Turns } from '../engine/tools/turns.ts';
import { Person } from './person.ts';
import { CHEAP, startTestServer } from './server.ts';
import { BROWSER, type Visited, visit } from './visit.ts';

export type { Linkspace, LinkspaceOptions, PersonOptions, VisitorOptions };

/** The account of `Linkspace.key`. */
const DEFAULT = 'default';

/** Returns a function that becomes the text where one is made of it. Programs without types find the methods of texts there, too. */
function callable(text: string, make: (options?: KeyOptions) => Promise<string>): Key {
  const itself = () => text;
  Object.setPrototypeOf(make, String.prototype);
  Object.defineProperties(make, {
    length: { value: text.length },
    toString: { value: itself },
    valueOf: { value: itself },
    [Symbol.toPrimitive]: { value: itself },
  });
  return Object.assign(make, { toJSON: itself });
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

/** Returns a time that is later by some milliseconds. @throws TypeError if that is no time */
function moveTime(time: Date, milliseconds: number): Date {
  const moved = new Date(time.getTime() + milliseconds);
  if (typeof milliseconds === 'number' && !Number.isNaN(moved.getTime())) return moved;
  const given = typeof milliseconds === 'string' ? `"${milliseconds}"` : String(milliseconds);
  throw new TypeError(`advance() needs a number of milliseconds, such as 60_000, and got ${given}.`);
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
        time = moveTime(time, milliseconds);
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
