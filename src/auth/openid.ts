import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import * as client from 'openid-client';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Data } from '../db/database.ts';
import {
  type Fault,
  linkIdentity,
  type ProvidedPerson,
  readClaim,
  SignInFault,
  signInWithIdentity,
} from '../domain/access/identity.ts';
import { createToken, findToken, takeToken } from '../domain/access/one-time-token.ts';
import { requireRecentSignIn } from '../domain/access/recent-sign-in.ts';
import type { RoleRule } from '../domain/access/role.ts';
import { bySession } from '../domain/access/session.ts';
import { isSameIssuer } from '../domain/access/ways-in.ts';
import { refusal } from '../domain/rules.ts';
import { parseParameters } from '../engine/http/request/parameters.ts';
import { OwnCookie } from '../engine/http/request/session-cookie.ts';
import { DomainError, type ErrorCode, visibleError } from '../engine/rules/errors.ts';
import { parseInput } from '../engine/rules/input.ts';
import { oneLine } from '../engine/tools/one-line.ts';
import { parseUrl } from '../engine/tools/parse-url.ts';
import { singleFlight } from '../engine/tools/single-flight.ts';
import { Turns } from '../engine/tools/turns.ts';
import type { SignInOutcome } from './sign-in-log.ts';
import { credentialText, type SignInTools } from './tools.ts';

/** Seconds in which the provider must answer. */
const TIMEOUT = 10;
/** Maximum number of people who wait for the provider at once, and milliseconds for which its metadata are kept. */
const MAX_ASKING = 100;
const METADATA_AGE = 60_000;
/** The most values of a claim that are logged, and their length in characters. */
const MAX_LOGGED_VALUES = 50;
const MAX_LOGGED_LENGTH = 200;

/** The settings of the operator that concern the provider. */
export interface ProviderSettings {
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly oidcClientSecret?: string | undefined;
  readonly oidcName?: string | undefined;
  readonly oidcRolesClaim: string;
  readonly oidcRoles: readonly RoleRule[];
  readonly oidcOnly: boolean;
  readonly sideEffects: boolean;
}

/** The secrets of a sign-in that are kept until the provider sends the person back. */
export interface Begun {
  readonly verifier: string;
  readonly nonce: string;
  readonly state: string;
}

/** The provider's answer cannot be used; the message is our own. */
class UnusableAnswer extends Error {}

/** The form of the codes of OAuth. No token or code of a sign-in is like that. */
const CODE = /^[a-z]{1,30}(_[a-z]{1,30}){0,5}$/;

/** Why the library failed, in one line, with the provider's codes. The provider's words may have the code or the name of a person. */
function explainFailure(error: unknown): string {
  const reasons: string[] = [];
  let one = error;
  while (one instanceof Error && reasons.length < 6) {
    const code = 'code' in one && typeof one.code === 'string' ? one.code : one.name;
    const isOwn = one instanceof UnusableAnswer || one instanceof client.ClientError;
    // The library has no words of the provider in its messages.
    reasons.push(isOwn || code.startsWith('OAUTH_') ? oneLine(one) : code);
    if (one instanceof client.AuthorizationResponseError || one instanceof client.ResponseBodyError)
      reasons.push(CODE.test(one.error) ? one.error : 'an unknown code');
    one = one.cause;
  }
  return reasons.join(': ');
}

/** Returns the fault that the person reads for an error of the library. */
function classifyFault(error: unknown): Fault {
  if (error instanceof client.AuthorizationResponseError) return 'REFUSED';
  const isAway =
    error instanceof TypeError || (error instanceof client.ClientError && error.code === 'OAUTH_TIMEOUT');
  return isAway ? 'PROVIDER_DOWN' : 'FAILED';
}

/** The issuer that the provider names, if it is not the one that was asked for. */
function issuerIn(error: unknown): string | null {
  if (!(error instanceof client.ClientError)) return null;
  const found = z.object({ body: z.object({ issuer: z.string() }) }).safeParse(error.cause);
  return found.data?.body.issuer ?? null;
}

/** True if the provider did not accept the client's secret. */
function isUnknownClient(error: unknown): boolean {
  return (
    error instanceof client.WWWAuthenticateChallengeError ||
    (error instanceof client.ResponseBodyError && error.error === 'invalid_client')
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The texts of a claim, which may be one or a list. */
function listTexts(claim: unknown): string[] {
  return [claim].flat().filter((value) => typeof value === 'string');
}

/** People sign in with a provider of OpenID Connect, by the code flow with PKCE, state and nonce. */
export class OpenId {
  readonly issuer: string;
  readonly #issuer: URL;
  readonly #settings: ProviderSettings;
  readonly #consoleUrl: string;
  readonly #log: Logger;
  #known: client.Configuration | null = null;
  /** True if the provider wants the client's secret in the body; null while its metadata decide. */
  #wantsBody: true | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Asked before each request to the provider that is made for a person: throws if their session has ended. */
  readonly #asks = new AsyncLocalStorage<() => void>();
  /** The metadata are for all. */
  readonly #discover = singleFlight(() => this.#asks.exit(() => this.#readMetadata()));
  readonly #asking = new Turns({
    ...{ max: MAX_ASKING, maxWaiting: 0 },
    refusal: () => new SignInFault('PROVIDER_DOWN'),
  });

  private constructor(issuer: string, settings: ProviderSettings, consoleUrl: string, log: Logger) {
    const url = parseUrl(issuer);
    if (url === null) throw new Error('the issuer is no URL');
    this.issuer = issuer;
    this.#issuer = url;
    this.#settings = settings;
    this.#consoleUrl = consoleUrl;
    this.#log = log;
  }

  /** The provider of the settings; null if they have none. */
  static of(settings: ProviderSettings, consoleUrl: string, log: Logger): OpenId | null {
    return settings.oidcIssuer === undefined
      ? null
      : new OpenId(settings.oidcIssuer, settings, consoleUrl, log);
  }

  get name(): string {
    return this.#settings.oidcName ?? this.#issuer.host;
  }

  /** True if the provider is the only way to sign in. */
  get isOnly(): boolean {
    return this.#settings.oidcOnly;
  }

  get rules(): readonly RoleRule[] {
    return this.#settings.oidcRoles;
  }

  get #secret(): string {
    return this.#settings.oidcClientSecret ?? '';
  }

  get #callback(): string {
    return `${this.#consoleUrl}/auth/oidc/callback`;
  }

  /** Logs why a step failed, in the library's words and the provider's codes. */
  #failed(error: unknown, message: string): void {
    this.#log.warn({ issuer: this.issuer, reason: explainFailure(error) }, message);
  }

  async #readMetadata(): Promise<client.Configuration> {
    if (!this.#settings.sideEffects) {
      this.#log.warn({ issuer: this.issuer }, 'nobody can sign in with OpenID: SIDE_EFFECTS is off');
      throw new SignInFault('PROVIDER_DOWN');
    }
    const isLocal = this.issuer.startsWith('http:');
    const discover = (issuer: URL) =>
      client.discovery(
        issuer,
        this.#settings.oidcClientId ?? '',
        this.#secret,
        (...request) => this.#authenticate(...request),
        {
          timeout: TIMEOUT,
          [client.customFetch]: (address, { body, ...request }) => {
            this.#asks.getStore()?.();
            return fetch(address, {
              ...request,
              body: body instanceof Uint8Array ? new Uint8Array(body) : body,
            });
          },
          // The configuration allows http for this machine alone.
          execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
        },
      );
    const known = await discover(this.#issuer)
      .catch((error: unknown) => {
        const named = parseUrl(issuerIn(error) ?? '');
        if (named === null || !isSameIssuer(named.href, this.issuer)) throw error;
        // The address was pasted without the slash at the end of the issuer.
        return discover(named);
      })
      .catch((error: unknown) => {
        this.#failed(error, 'the OpenID provider could not be read: nobody can sign in with it');
        throw new SignInFault('PROVIDER_DOWN', { cause: error });
      });
    this.#known = known;
    this.#readAt = performance.now();
    return known;
  }

  async #metadata(): Promise<client.Configuration> {
    if (this.#known && performance.now() - this.#readAt < METADATA_AGE) return this.#known;
    return this.#asking.take('', this.#discover);
  }

  /** Sends the client's secret in the way that the provider supports; without a word of it, by the header. */
  #authenticate(...[server, ...request]: Parameters<client.ClientAuth>): void {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody = this.#wantsBody ?? !supported.includes('client_secret_basic');
    const authenticate = isInBody ? client.ClientSecretPost : client.ClientSecretBasic;
    authenticate(this.#secret)(server, ...request);
  }

  /** The tokens for a code. Providers that support both ways to send the secret may want one of them from a client. */
  async #tokensFor(known: client.Configuration, url: URL, { verifier, nonce, state }: Begun) {
    const ask = () =>
      client.authorizationCodeGrant(known, url, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        idTokenExpected: true,
      });
    if (this.#wantsBody !== null) return ask();
    return ask().catch(async (error: unknown) => {
      if (!isUnknownClient(error)) throw error;
      this.#wantsBody = true;
      return ask().catch(() => {
        this.#wantsBody = null;
        throw error;
      });
    });
  }

  /** The URL of the callback with the query of a request, which begins with its question mark; null for an invalid one. */
  callbackWith(query: string): URL | null {
    return parseUrl(`${this.#callback}${query}`);
  }

  /** Finds out at the start whether the provider answers, for the log. */
  check(): void {
    this.#discover().catch(() => {});
  }

  /**
   * Where the person signs in. If the provider is known to be down, the person hears it here.
   * @throws SignInFault
   */
  async begin(): Promise<Begun & { url: URL }> {
    const known = await this.#metadata();
    const verifier = client.randomPKCECodeVerifier();
    const [nonce, state] = [client.randomNonce(), client.randomState()];
    const supported = known.serverMetadata().scopes_supported ?? [];
    // Many providers give groups for a scope of that name, and others refuse scopes that they do not know.
    const more = supported.includes(this.#settings.oidcRolesClaim) ? [this.#settings.oidcRolesClaim] : [];
    const url = client.buildAuthorizationUrl(known, {
      redirect_uri: this.#callback,
      scope: ['openid', 'email', 'profile', ...more].join(' '),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ nonce, state },
    });
    return { verifier, nonce, state, url };
  }

  /**
   * The person whom the provider sends back.
   * @param url that of the callback, with what the provider says
   * @param ask throws if the session for which it is done has ended
   * @throws SignInFault
   */
  finish(url: URL, begun: Begun, ask: () => void): Promise<ProvidedPerson> {
    const finishing = async () => {
      const known = this.#known ?? (await this.#discover());
      try {
        const tokens = await this.#tokensFor(known, url, begun);
        const claims = tokens.claims();
        if (claims === undefined) throw new UnusableAnswer('there is no ID token');
        return this.#readPerson(claims, await this.#moreClaims(known, tokens.access_token, claims));
      } catch (error) {
        ask();
        this.#failed(error, 'a sign-in with the OpenID provider failed');
        this.#readAt = Number.NEGATIVE_INFINITY;
        throw new SignInFault(classifyFault(error), { cause: error });
      }
    };
    return this.#asking.take('', () => this.#asks.run(ask, finishing));
  }

  /** The log's words for a person without a role: the operator compares the values with OIDC_ROLES. */
  loggedValues({ values }: ProvidedPerson): object {
    const shown = values.slice(0, MAX_LOGGED_VALUES).map((value) => value.slice(0, MAX_LOGGED_LENGTH));
    return { claim: this.#settings.oidcRolesClaim, values: shown, count: values.length };
  }

  /**
   * The provider's userinfo about the person, read if something is missing in the ID token. A failure matters only if a sign-in
   * needs what is missing.
   */
  async #moreClaims(known: client.Configuration, token: string, claims: client.IDToken): Promise<object> {
    const { oidcRolesClaim, oidcRoles } = this.#settings;
    const lacks = (name: string) => readClaim(claims, name) === undefined;
    const needed = ['email', ...(oidcRoles.length > 0 ? [oidcRolesClaim] : [])];
    if (!['name', ...needed].some(lacks) || known.serverMetadata().userinfo_endpoint === undefined) return {};
    return client.fetchUserInfo(known, token, claims.sub).catch((error: unknown) => {
      if (needed.some(lacks)) throw error;
      this.#failed(error, 'the OpenID provider’s userinfo failed: the ID token has all that is needed');
      return {};
    });
  }

  /** @param more what userinfo says; the ID token comes first */
  #readPerson(claims: client.IDToken, more: object): ProvidedPerson {
    const { oidcRolesClaim } = this.#settings;
    const textsIn = (name: string) => listTexts(readClaim(claims, name) ?? readClaim(more, name));
    const [top = ''] = oidcRolesClaim.split('.', 1);
    const elsewhere = [more, claims].map((one) => readClaim(one, '_claim_names'));
    if (elsewhere.some((names) => isObject(names) && (oidcRolesClaim in names || top in names)))
      throw new UnusableAnswer(
        `the provider sends the claim ${oidcRolesClaim} in another place: it has too many values`,
      );
    const [email = null] = textsIn('email');
    const [name = null] = [...textsIn('name'), ...textsIn('preferred_username')];
    return {
      ...{ issuer: claims.iss, subject: claims.sub, email, name },
      values: textsIn(oidcRolesClaim),
    };
  }

  /** Where a person signs out of the provider, too; null if it has no page for that, or does not answer. */
  async signOutUrl(): Promise<string | null> {
    const known = this.#known ?? (await this.#metadata().catch(() => null));
    if (known?.serverMetadata().end_session_endpoint === undefined) return null;
    const back = `${this.#consoleUrl}/console/sign-in`;
    return client.buildEndSessionUrl(known, { post_logout_redirect_uri: back }).href;
  }
}

const begin = z.object({
  to: credentialText.default(''),
  link: z.boolean(refusal('BOOLEAN')).default(false),
  /** Of the link of the first owner or of an invitation. */
  token: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the token of a link')
    .nullable()
    .default(null),
});

/** The stored state of a sign-in. */
const kept = z.object({
  ...{ verifier: z.string(), nonce: z.string(), state: z.string(), to: z.string() },
  /** The session of the user who links, for a process of an earlier version. */
  sessionId: z.number().nullable(),
});

/** For how long the cookie of a sign-in with the provider is kept, in seconds. */
const COOKIE_AGE = 600;
const cookieFor = (consoleUrl: string) => new OwnCookie(consoleUrl, 'linkspace-oidc');

/** A path below `/console`, as the person asked for it; `/console` in place of any other address. */
function consolePath(asked: string): string {
  const base = 'http://localhost';
  const url = parseUrl(asked, base);
  const isOurs = url?.origin === base && /^\/console(\/|$)/.test(url.pathname);
  return isOurs ? `${url.pathname}${url.search}${url.hash}` : '/console';
}

const readQuery = ({ url = '' }: IncomingMessage) => (url.includes('?') ? url.slice(url.indexOf('?')) : '?');

/** The callback, which the provider sends browsers to: it looks at no header that says where a request comes from. */
export function createCallback(openId: OpenId, tools: SignInTools): RequestHandler {
  const { db, consoleUrl, now, findAnySession, begin: beginSession, attempted } = tools;
  const cookie = cookieFor(consoleUrl);
  const finish = async (req: Request, res: Response): Promise<string> => {
    // The token of a link is in the cookie alone, since the database keeps only hashes of such tokens.
    const [given = '', token = null] = cookie.of(req)?.split('.') ?? [];
    const row = await findToken(db, 'OPENID', given, now());
    const data = row && kept.parse(JSON.parse(row.data));
    const url = openId.callbackWith(readQuery(req));
    // Another sign-in of this browser may go on elsewhere.
    if (row === null || data === null || url?.searchParams.get('state') !== data.state)
      throw new SignInFault('EXPIRED');
    cookie.clear(res);
    await takeToken(db, 'OPENID', given, now());
    const linker = row.userId === null ? null : await findAnySession(req);
    if (row.userId !== null && (linker?.userId !== row.userId || linker.id !== row.sessionId))
      throw new SignInFault('SIGN_IN_FIRST');
    if (linker) requireRecentSignIn({ session: linker }, 'GET /auth/oidc/callback', now(), { links: true });
    const person = await openId.finish(url, data, linker?.ask ?? (() => {}));
    if (linker !== null) await linkIdentity(linker.db, person, linker, now());
    else {
      const rules = { rules: openId.rules, token };
      const user = await signInWithIdentity(db, person, rules, now()).catch((error: unknown) => {
        if (!(error instanceof SignInFault) || error.fault !== 'NO_ROLE') throw error;
        throw new SignInFault('NO_ROLE', { cause: error, details: openId.loggedValues(person) });
      });
      const { issuer, subject } = person;
      await beginSession(req, res, { ...user, way: { issuer, subject } });
      attempted(req, 'openid', 'ok', { user: user.id });
    }
    return data.to;
  };
  return async (req, res) => {
    res.redirect(303, await finish(req, res).catch(pageOfFault(openId, req, res, tools)));
  };
}

/** A handler for errors, which gives the page that tells the person. */
function pageOfFault(
  openId: OpenId,
  req: Request,
  res: Response,
  { report, signInFailed, attempted }: SignInTools,
): (error: unknown) => string {
  return (error) => {
    signInFailed('openid');
    const code = visibleError(error)?.code;
    const fault = error instanceof SignInFault ? error.fault : ((code && faults[code]) ?? 'UNAVAILABLE');
    if (fault === 'UNAVAILABLE') report(res, error);
    const details = { issuer: openId.issuer, fault, ...(error instanceof SignInFault && error.details) };
    attempted(req, 'openid', classifyOutcome(fault, code), { details });
    return `/console/sign-in?fault=${fault}`;
  };
}

function classifyOutcome(fault: Fault, code: ErrorCode | undefined): SignInOutcome {
  if (code === 'RATE_LIMITED') return 'limited';
  return fault === 'UNAVAILABLE' || fault === 'PROVIDER_DOWN' ? 'failed' : 'refused';
}

/** The faults that the person reads for errors of the domain. */
const faults: Partial<Record<ErrorCode, Fault>> = {
  GONE: 'EXPIRED',
  UNAUTHENTICATED: 'SIGN_IN_FIRST',
  FORBIDDEN: 'SIGN_IN_AGAIN',
};

/** `/auth/oidc`: a GET leads to the provider, and a POST tells where it is, for pages that link or bring a token. */
export function createStart(
  openId: OpenId,
  tools: SignInTools,
): { get: RequestHandler; post: RequestHandler } {
  const { db, consoleUrl, now, identifyAsker, limit, requireSession } = tools;
  const cookie = cookieFor(consoleUrl);
  const start = async (req: Request, res: Response, asked: z.output<typeof begin>): Promise<string> => {
    await limit(req);
    const session = asked.link ? await requireSession(req, { links: true }) : null;
    const { url, ...begun } = await openId.begin();
    const data = { ...begun, to: consolePath(asked.to), sessionId: session?.id ?? null };
    const asker = identifyAsker(req, session === null);
    const whose = { userId: session?.userId ?? null, sessionId: session?.id ?? null };
    const create = (tx: Data) => createToken(tx, 'OPENID', { ...whose, data, asker }, now());
    const token = await (session ? bySession(session.db, session, now(), create) : create(db));
    cookie.set(res, asked.token === null ? token : `${token}.${asked.token}`, COOKIE_AGE);
    return url.href;
  };
  return {
    async get(req, res) {
      const query = parseParameters(req.url);
      const asked = {
        to: (query.get('to') ?? '').slice(0, 1_000),
        link: query.get('link') === '1',
        token: null,
      };
      res.redirect(303, await start(req, res, asked).catch(pageOfFault(openId, req, res, tools)));
    },
    async post(req, res) {
      const url = await start(req, res, parseInput(begin, req.body)).catch((error: unknown) => {
        if (!(error instanceof SignInFault)) throw error;
        throw new DomainError('UNAVAILABLE', refusal('PROVIDER_AWAY', { provider: openId.name }));
      });
      res.json({ url });
    },
  };
}
