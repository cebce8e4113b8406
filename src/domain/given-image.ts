// Images that people give: read, made anew, and stored once for each content and account.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Data } from '../db/database.ts';
import { noteImageUse, readImageSecret, storeImage } from '../db/images.ts';
import { type ImageFault, ImageRefused } from '../engine/images/fault.ts';
import { MAX_PIXELS, type ReadImage, readImage } from '../engine/images/header.ts';
import type { ImageForm, MadeImage } from '../engine/images/work.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { DomainError, fieldError, invalid, RETRY_AFTER } from '../engine/rules/errors.ts';
import type { Refusal } from '../engine/rules/refusal.ts';
import { TooMuchWaiting } from '../engine/tools/turns.ts';
import { ofAccount } from './password.ts';
import { refusal } from './rules.ts';
import type { Services } from './services.ts';

/** A use of images: what is taken, what is made of it, and where it is served. */
export interface ImageUse {
  /** The field of an input that has the image. */
  readonly field: readonly string[];
  /** The largest image that is taken, in bytes. */
  readonly maxGiven: number;
  readonly form: ImageForm;
  /** The folder of its path, and the extension of its name. */
  readonly folder: string;
  readonly extension: string;
}

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,/i;
const LONGEST_PREFIX = 'data:image/jpeg;base64,'.length;
const BASE64 = /^[\w+/]+={0,2}$/;

/** Returns the path of an image, on any host of the account's links. */
export function pathOfImage({ folder, extension }: ImageUse, hash: string): string {
  return `${folder}${hash}.${extension}`;
}

/** Returns the hash in the path of an image of the use, or in its address; null for any other path. */
export function hashOfImage({ folder, extension }: ImageUse, path: string): string | null {
  const [at, end] = [path.lastIndexOf('/') + 1, `.${extension}`];
  if (!path.slice(0, at).endsWith(folder) || !path.endsWith(end)) return null;
  const hash = path.slice(at, -end.length);
  return /^[0-9a-f]{40}$/.test(hash) ? hash : null;
}

/** A given image: a new one, or one that the account has. */
export type GivenImage = { readonly image: ReadImage } | { readonly hash: string };

/** Returns how an image is refused. */
function refusalOf(fault: ImageFault): Refusal {
  if (fault === 'FORMAT') return refusal('IMAGE');
  if (fault === 'ANIMATED') return refusal('IMAGE_ANIMATED');
  if (fault === 'TRAILING') return refusal('IMAGE_TRAILING');
  if (fault === 'TOO_MANY_PIXELS') return refusal('IMAGE_PIXELS', { max: MAX_PIXELS / 1_000_000 });
  return refusal(fault === 'BROKEN' ? 'IMAGE_BROKEN' : 'IMAGE_WORK');
}

/** Reads a given image, before anything decodes it; or returns how it is refused. */
function readGiven(use: ImageUse, text: string): GivenImage | Refusal {
  const { maxGiven } = use;
  const tooLarge = refusal('IMAGE_SIZE', { max: maxGiven / 1_000 });
  if (text.length > Math.ceil(maxGiven / 3) * 4 + LONGEST_PREFIX) return tooLarge;
  const prefix = DATA_URL.exec(text)?.[0];
  if (prefix === undefined) {
    const hash = text.length < 1_000 ? hashOfImage(use, text.trim()) : null;
    return hash === null ? refusal('IMAGE') : { hash };
  }
  const encoded = text.slice(prefix.length);
  if (!BASE64.test(encoded)) return refusal('IMAGE');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > maxGiven) return tooLarge;
  try {
    return { image: readImage(bytes) };
  } catch (error) {
    if (error instanceof ImageRefused) return refusalOf(error.fault);
    throw error;
  }
}

/** The schema of an image of a use. */
export function imageSchema(use: ImageUse) {
  return z
    .string(refusal('IMAGE'))
    .meta({ format: 'data-url' })
    .transform((text, context): GivenImage => {
      const read = readGiven(use, text);
      if (!('issue' in read)) return read;
      context.addIssue(read.issue);
      return z.NEVER;
    });
}

const refused = ({ field }: ImageUse, why: Refusal) => invalid([fieldError([...field], why)]);

/** The images that were made of given ones that are still in use: a write that was overtaken begins anew. */
const made = new WeakMap<ReadImage, Promise<MadeImage>>();

/** Makes an image anew. @throws DomainError VALIDATION, RATE_LIMITED */
async function makeImage(
  use: ImageUse,
  given: ReadImage,
  actor: Writer,
  { images }: Services,
): Promise<Buffer> {
  const making = made.get(given) ?? images.make(ofAccount(actor), given, use.form);
  made.set(given, making);
  try {
    return Buffer.from((await making).bytes);
  } catch (error) {
    made.delete(given);
    if (error instanceof ImageRefused) throw refused(use, refusalOf(error.fault));
    if (error instanceof TooMuchWaiting)
      throw new DomainError('RATE_LIMITED', 'Too many images at once. Try again shortly.', [], RETRY_AFTER);
    throw error;
  }
}

/**
 * Returns the hash of a given image, which the account has afterwards. It takes long, so call it before a transaction. An image that
 * nothing names in the end is deleted.
 * @throws DomainError VALIDATION, RATE_LIMITED
 */
export async function keepImage(
  db: Data,
  actor: Writer,
  services: Services,
  use: ImageUse,
  given: GivenImage,
  now: Date,
): Promise<string> {
  const { accountId } = actor;
  const { format } = use.form;
  if ('hash' in given) {
    if (!(await noteImageUse(db, { accountId, hash: given.hash }, format, now)))
      throw refused(use, refusal('IMAGE_UNKNOWN'));
    return given.hash;
  }
  const content = await makeImage(use, given.image, actor, services);
  const secret = await readImageSecret(db, accountId);
  const hash = createHmac('sha256', secret).update('image').update(content).digest('hex').slice(0, 40);
  const max = services.previewMegabytes;
  if (!(await storeImage(db, { accountId, hash, content }, format, max * 1_000_000, now)))
    throw refused(use, refusal('IMAGE_STORAGE', { max }));
  return hash;
}
