import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';

export const CLIENT = { id: 'linkspace', secret: 'the secret of the client, which is long' };

/** Where the client is. */
const ORIGIN = 'https://s.example';

/** A person as the provider knows them. */
export interface ProvidersPerson {
  email?: string;
  name?: string;
  groups?: string[];
}

/** An ID token before it is signed. */
interface IdToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** Faults of the next ID tokens. */
interface Attack {
  /** Waited for before tokens are sent. */
  before?: () => Promise<void>;
  change?: (token: IdToken) => void;
  isForged?: boolean;
  /** The body that is sent in place of tokens: an error as JSON, or any text. */
  instead?: string;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const strangersKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' };

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The token after a change, signed again, unless the change removes the algorithm. */
function changed(token: string, change: (token: IdToken) => void, key = privateKey): string {
  const [header, claims] = token.split('.').slice(0, 2).map(decode);
  const parts: IdToken = { header, claims };
  change(parts);
  const text = `${encode(parts.header)}.${encode(parts.claims)}`;
  if (parts.header.alg === 'none') return `${text}.`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** Creates the provider's store, in memory. */
function createStore(): (name: string) => Adapter {
  const rows = new Map<string, AdapterPayload>();
  const where = (isIt: (row: AdapterPayload) => boolean) =>
    [...rows].flatMap(([key, row]) => (isIt(row) ? [{ key, row }] : []));
  return (name) => ({
    upsert: async (id, row) => void rows.set(`${name} ${id}`, row),
    find: async (id) => rows.get(`${name} ${id}`),
    findByUserCode: async () => undefined,
    findByUid: async (uid) => where((row) => row.uid === uid && row.kind === name)[0]?.row,
    consume: async (id) => void Object.assign(rows.get(`${name} ${id}`) ?? {}, { consumed: 1 }),
    destroy: async (id) => void rows.delete(`${name} ${id}`),
    async revokeByGrantId(grantId) {
      for (const { key } of where((row) => row.grantId === grantId)) rows.delete(key);
    },
  });
}

/**
 * A certified provider on a loopback port, at which a person signs in by being named.
 * @param client what else it knows of the client
 */
export async function startProvider({ port = 0, client = {} }: { port?: number; client?: object } = {}) {
  const people = new Map<string, ProvidersPerson>();
  let attack: Attack = {};
  let who = '';
  const asked: string[] = [];
  const server = createServer();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    adapter: createStore(),
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${ORIGIN}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${ORIGIN}/console/sign-in`],
        ...client,
      },
    ],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'], groups: ['groups'] },
    cookies: { keys: ['a key of the test'] },
    jwks: { keys: [jwk] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: CLIENT.id, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
  const answer = provider.callback();
  server.on('request', async (req: IncomingMessage, res: ServerResponse) => {
    if (req.url === '/interaction') {
      const person = people.get(who);
      const result = person ? { login: { accountId: who } } : { error: 'access_denied' };
      return provider.interactionFinished(req, res, result);
    }
    asked.push(req.url ?? '');
    if (req.url === '/token') {
      await attack.before?.();
      rewrite(res);
    }
    await answer(req, res);
  });

  /** Has the answer with the tokens changed as the test wants. */
  const rewrite = (res: ServerResponse) => {
    const end = res.end.bind(res);
    res.end = (text: unknown) => {
      const body = JSON.parse(String(text));
      const { change = () => {}, isForged, instead } = attack;
      if (instead !== undefined) {
        if (instead.startsWith('{')) res.statusCode = 400;
        res.setHeader('Content-Length', Buffer.byteLength(instead));
        return end(instead);
      }
      if (body.id_token) body.id_token = changed(body.id_token, change, isForged ? strangersKey : privateKey);
      const told = JSON.stringify(body);
      res.setHeader('Content-Length', Buffer.byteLength(told));
      return end(told);
    };
  };

  return {
    issuer,
    port: (server.address() as AddressInfo).port,
    /** By subject. */
    people,
    /** The paths of all requests. */
    asked,
    set attack(given: Attack) {
      attack = given;
    },
    /** The subject that signs in next. */
    set next(subject: string) {
      who = subject;
    },
    /** Signs a person in, or refuses somebody unknown, and gives the address that leads back to the client. */
    async visit(address: string, subject: string): Promise<string> {
      const cookies = new Map<string, string>();
      who = subject;
      for (let url = new URL(address); ; ) {
        if (url.origin !== issuer) return url.href;
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('Location');
        if (location === null) throw new Error(`${response.status} ${await response.text()}`);
        url = new URL(location, url);
      }
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
