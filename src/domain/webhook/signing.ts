import { Webhook as Signer } from 'standardwebhooks';

/** How many random bytes a secret has: as many as the hash that it signs with. */
const SECRET_BYTES = 32;
/** For how long the secret before the last one signs too, in milliseconds. */
const OLD_SECRET_LASTS = 24 * 60 * 60 * 1000;

/** A whole number from 0 up to, and without, the given one. */
export type Random = (below: number) => number;

function randomBytes(count: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random(256)));
}

/** A new secret, as Standard Webhooks writes them: `whsec_` and base64. */
export function newSecret(random: Random): string {
  return `whsec_${randomBytes(SECRET_BYTES, random).toString('base64')}`;
}

/** A new id of a message, which its receiver knows it by. */
export function newMessageId(random: Random): string {
  return `msg_${randomBytes(16, random).toString('base64url')}`;
}

/** The secrets of a webhook. */
export interface Secrets {
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

/** What is stored when another secret comes: the one that signed until then signs too for a day. */
export function rotated({ secret }: Pick<Secrets, 'secret'>, next: string, now: Date): Secrets {
  return { secret: next, oldSecret: secret, oldSecretUntil: new Date(now.getTime() + OLD_SECRET_LASTS) };
}

/** The headers of Standard Webhooks for a message, signed with each secret that counts now. */
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
