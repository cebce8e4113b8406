import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

import { z } from 'zod';
import type { Data } from '../db/database.ts';
import { createToken, takeToken } from '../domain/access/one-time-token.ts';
import {
  createPasskey,
  encodeHandle,
  findPasskey,
  passkeyName,
  requireRoomForPasskey,
  usePasskey,
} from '../domain/access/passkey.ts';
import { bySession, type FoundUser } from '../domain/access/session.ts';
import type { Asker } from '../domain/access/strangers.ts';
import type { User } from '../domain/access/user.ts';
import { findWaysIn, type SignedIn } from '../domain/access/ways-in.ts';
import { because, refusal } from '../domain/rules.ts';
import { findClient, findScheme, type Trust } from '../engine/http/request/client.ts';
import { DomainError, invalidField, visibleError } from '../engine/rules/errors.ts';
import { isStorable, parseInput } from '../engine/rules/input.ts';
import { hostOf, isOnHost, plainHost, protocolOf } from '../engine/rules/url.ts';
import { loadedLater } from '../engine/tools/loaded-later.ts';
import type { Routes } from './routes.ts';
import type { SignInTools } from './tools.ts';

/** Loaded when a passkey is first asked for, since it takes a tenth of a second and 25 MB. */
const library = loadedLater(() => import('@simplewebauthn/server'));

const passkeyText = z.string().max(12_000).refine(isStorable);
const transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
/** Unknown ones are left out: they only help browsers to find the authenticator. */
const transports = z
  .array(z.unknown())
  .max(20)
  .transform((given) => given.flatMap((one) => transport.safeParse(one).data ?? []));
const credential = z.object({
  id: passkeyText,
  rawId: passkeyText,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
});
const registration = credential.extend({
  response: z.object({
    clientDataJSON: passkeyText,
    attestationObject: passkeyText,
    transports: transports.default([]),
  }),
}) satisfies z.ZodType<RegistrationResponseJSON>;
const authentication = credential.extend({
  response: z.object({
    clientDataJSON: passkeyText,
    authenticatorData: passkeyText,
    signature: passkeyText,
    userHandle: passkeyText,
  }),
}) satisfies z.ZodType<AuthenticationResponseJSON>;

/** Ed25519, ES256 and RS256: what authenticators have. Newer ones are still experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];

const unaccepted = () => new DomainError('UNAUTHENTICATED', refusal('PASSKEY_REFUSED'));

/** Passkeys for the host of the console: discoverable ones, whose user is verified each time. */
export class Passkeys {
  readonly #consoleUrl: string;
  readonly #trust: Trust;
  readonly #rpId: string;
  /** True if browsers allow passkeys there: on no IP address, and without https only on this machine. */
  readonly isPossible: boolean;

  constructor(consoleUrl: string, trust: Trust) {
    this.#consoleUrl = consoleUrl;
    this.#trust = trust;
    this.#rpId = plainHost(hostOf(consoleUrl));
    const isLocal = /(^|\.)localhost$/.test(this.#rpId);
    this.isPossible = isIP(this.#rpId) === 0 && (isLocal || consoleUrl.startsWith('https:'));
  }

  /** True if passkeys work on the page that sends a request. */
  isOffered(req: IncomingMessage): boolean {
    const protocol = protocolOf(this.#consoleUrl);
    return (
      this.isPossible &&
      isOnHost(this.#consoleUrl, findClient(req, this.#trust).host) &&
      findScheme(req, this.#trust, protocol) === protocol
    );
  }

  /** @throws DomainError FORBIDDEN */
  requireOffered(req: IncomingMessage): void {
    if (this.isOffered(req)) return;
    const message = this.isPossible
      ? `Passkeys work at ${this.#consoleUrl}/console only.`
      : `There are no passkeys at ${this.#consoleUrl}: browsers need https and a host name for them.`;
    throw new DomainError('FORBIDDEN', message);
  }

  /** @throws DomainError RATE_LIMITED if too many are asked for */
  async registrationOptions(db: Data, session: SignedIn & { readonly user: User }, asker: Asker, now: Date) {
    const { user } = session;
    await requireRoomForPasskey(db, user.id);
    const { passkeys } = await findWaysIn(db, user.id);
    const begun = { userId: user.id, sessionId: session.id, asker };
    const challenge = await bySession(db, session, now, (tx) => createToken(tx, 'PASSKEY', begun, now));
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      supportedAlgorithmIDs,
      rpName: 'Linkspace',
      rpID: this.#rpId,
      userName: user.email,
      userDisplayName: user.name,
      userID: Buffer.from(encodeHandle(user), 'base64url'),
      challenge: Buffer.from(challenge, 'base64url'),
      excludeCredentials: passkeys.map((one) => ({
        id: one.credentialId,
        transports: transports.parse(one.transports.split(' ')),
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** @throws DomainError VALIDATION, CONFLICT, UNAUTHENTICATED */
  async register(db: Data, session: SignedIn, given: unknown, now: Date) {
    const { name, response } = parseInput(z.object({ name: passkeyName, response: registration }), given);
    const { verifyRegistrationResponse } = await library();
    const info = await verifyRegistrationResponse({
      ...this.#expected(db, session.id, now),
      ...{ response, supportedAlgorithmIDs },
    }).then(({ registrationInfo }) => registrationInfo, refuse(invalidResponse));
    if (info === undefined) throw invalidResponse();
    const { id: credentialId, publicKey, counter } = info.credential;
    const made = {
      credentialId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: response.response.transports,
    };
    return createPasskey(db, session, name, made, now);
  }

  /** @throws DomainError RATE_LIMITED if too many are asked for */
  async signInOptions(db: Data, asker: Asker, now: Date) {
    const challenge = await createToken(db, 'PASSKEY', { asker }, now);
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.#rpId,
      challenge: Buffer.from(challenge, 'base64url'),
      allowCredentials: [],
      userVerification: 'required',
    });
  }

  /** The user of a passkey. @throws DomainError UNAUTHENTICATED, VALIDATION */
  async signIn(db: Data, given: unknown, now: Date): Promise<User & FoundUser> {
    const { response } = parseInput(z.object({ response: authentication }), given);
    const passkey = await findPasskey(db, response.id);
    if (passkey === null) throw unaccepted();
    const { id, user, credentialId, publicKey, counter } = passkey;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...this.#expected(db, null, now),
      response,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter,
      },
    }).catch(refuse(unaccepted));
    const isOwn = response.response.userHandle === encodeHandle(user);
    if (!verified || !isOwn || user.disabledAt !== null) throw unaccepted();
    if (!(await usePasskey(db, id, authenticationInfo.newCounter, now))) throw unaccepted();
    return { ...user, way: { passkeyId: id } };
  }

  /**
   * The question that an answer has to be for. Its challenge is used up.
   * @param sessionId the session that asked for the options; null for a sign-in
   */
  #expected(db: Data, sessionId: number | null, now: Date) {
    return {
      expectedOrigin: this.#consoleUrl,
      expectedRPID: this.#rpId,
      requireUserVerification: true,
      expectedChallenge: async (challenge: string) =>
        (await takeToken(db, 'PASSKEY', challenge, now)).sessionId === sessionId,
    };
  }
}

function invalidResponse(): DomainError {
  const wrong = 'is not the answer to the options, or came too late';
  return invalidField('response', because(wrong, 'PASSKEY_REFUSED', {}));
}

/** A handler for the library's errors, which are about the answer; those of the database pass. */
function refuse(refusal: () => DomainError): (error: unknown) => never {
  return (error) => {
    throw visibleError(error)?.code === 'UNAVAILABLE' ? error : refusal();
  };
}

/** The paths below `/auth/passkey/`. */
export function addPasskeyRoutes(
  router: Routes,
  passkeys: Passkeys,
  { db, now, identifyAsker, limit, requireSession, signIn, requireOwnWays }: SignInTools,
): void {
  router.use('/passkey', (req, _res, next) => {
    requireOwnWays();
    passkeys.requireOffered(req);
    next();
  });
  router.post('/passkey/registration-options', async (req, res) => {
    const session = await requireSession(req);
    await limit(req);
    res.json(await passkeys.registrationOptions(session.db, session, identifyAsker(req, false), now()));
  });
  router.post('/passkey/register', async (req, res) => {
    const session = await requireSession(req);
    const { id, name } = await passkeys.register(session.db, session, req.body, now());
    res.status(201).json({ id: String(id), name });
  });
  router.post('/passkey/sign-in-options', async (req, res) => {
    await limit(req);
    res.json(await passkeys.signInOptions(db, identifyAsker(req), now()));
  });
  router.post('/passkey/sign-in', async (req, res) => {
    await signIn(req, res, await passkeys.signIn(db, req.body, now()), 'passkey');
  });
}
