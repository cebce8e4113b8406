import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

interface Credential {
  readonly id: string;
  readonly key: KeyObject;
  readonly userHandle: string;
}

const PRESENT = 1;
const VERIFIED = 4;
const WITH_CREDENTIAL = 64;

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** An authenticator and a browser in one, which answer as a page on an origin asks. */
export class Authenticator {
  origin: string;
  /** True if it asks the person for a fingerprint or a PIN. */
  verifies = true;
  /** The counter of the next answer; null if it has none. */
  counter: number | null = 1;
  rpId: string | null = null;
  readonly credentials: Credential[] = [];

  constructor(origin = 'https://s.example') {
    this.origin = origin;
  }

  #data(rpId: string, more: Uint8Array = Buffer.of()): Buffer {
    const count = Buffer.alloc(4);
    if (this.counter !== null) count.writeUInt32BE(this.counter++);
    const flags = PRESENT | (this.verifies ? VERIFIED : 0) | (more.length > 0 ? WITH_CREDENTIAL : 0);
    return Buffer.concat([hash('sha256', this.rpId ?? rpId, 'buffer'), Buffer.of(flags), count, more]);
  }

  #client(type: 'create' | 'get', challenge: string): string {
    return JSON.stringify({ type: `webauthn.${type}`, challenge, origin: this.origin, crossOrigin: false });
  }

  /** Makes a passkey, as `navigator.credentials.create` does. */
  create(options: { challenge: string; rp: { id: string }; user: { id: string } }) {
    const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const id = randomBytes(32);
    const cose = new Map<number, number | Uint8Array>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [number, number][]), // EC2, ES256, P-256
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const length = Buffer.of(0, id.length);
    const data = this.#data(
      options.rp.id,
      Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(cose)]),
    );
    const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', data],
    ]);
    this.credentials.push({ id: base64url(id), key, userHandle: options.user.id });
    return {
      ...{ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: base64url(this.#client('create', options.challenge)),
        attestationObject: base64url(isoCBOR.encode(attestation)),
        transports: ['internal', 'of the future'],
      },
    };
  }

  /** Signs in with a passkey, the last one by default, as `navigator.credentials.get` does. */
  get(options: { challenge: string; rpId: string }, credential = this.credentials.at(-1)) {
    if (credential === undefined) throw new Error('there is no passkey');
    const { id, key, userHandle } = credential;
    const data = this.#data(options.rpId);
    const client = this.#client('get', options.challenge);
    const signature = sign('sha256', Buffer.concat([data, hash('sha256', client, 'buffer')]), key);
    return {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle,
      },
    };
  }
}
