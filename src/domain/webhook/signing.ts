import { Webhook as Signer } from 'standardwebhooks';
import type { Random } from '../../engine/tools/random.ts';

/** The number of random bytes in a secret: the size of the hash. */
const SECRET_BYTES = 32;
/** Milliseconds for which the previous secret also signs. */
const OLD_SECRET_LASTS = 24 * 60 * 60 * 1000;

function randomBytes(count: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random(256)));
}

/** A new secret in the form of Standard Webhooks: `whsec_` and base64. */
export function newSecret(random: Random): string {
  return `whsec_${randomBytes(SECRET_BYTES, random).toString('base64')}`;
}

export function newMessageId(random: Random): string {
  return `msg_${randomBytes(16, random).toString('base64url')}`;
}

export interface Secrets {
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

/** The columns after a rotation: the old secret also signs for a day. */
export function rotated({ secret }: Pick<Secrets, 'secret'>, next: string, now: Date): Secrets {
  return { secret: next, oldSecret: secret, oldSecretUntil: new Date(now.getTime() + OLD_SECRET_LASTS) };
}

/** The headers of Standard Webhooks for a message, signed with each secret that is valid now. */
export function signatureHeaders(
  { secret, oldSecret, oldSecretUntil }: Secrets,
  messageId: string,
  body: string,
  now: Date,
): Record<string, string> {
  const both = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now;
  const signatures = [secret, ...(both ? [oldSecret] : [])].map((one) =>
    new Signer(one).sign(messageId, now, body),
  );
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
