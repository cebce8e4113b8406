import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { noteImageUse, readImageSecret, storeImage } from '../../db/images.ts';
import { type ImageFault, ImageRefused } from '../../engine/images/fault.ts';
import { MAX_PIXELS, type ReadImage, readImage } from '../../engine/images/header.ts';
import type { ImageForm, MadeImage } from '../../engine/images/work.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError, fieldError, invalid, RETRY_AFTER } from '../../engine/rules/errors.ts';
import { textSchema } from '../../engine/rules/input.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import { TooMuchWaiting } from '../../engine/tools/turns.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { ofAccount } from '../password.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';

/** The largest image that is taken, in bytes, and its longest text. */
const MAX_GIVEN = 1_000_000;
const MAX_DATA_URL = Math.ceil(MAX_GIVEN / 3) * 4 + 'data:image/jpeg;base64,'.length;

/** The image of a preview: as large as networks show one. */
const FORM: ImageForm = { format: 'jpeg', maxSide: 1_200, maxBytes: 100_000 };

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,/i;
const BASE64 = /^[\w+/]+={0,2}$/;
/** The end of an image's address; its hash is in parentheses. */
const STORED = /\/api\/preview\/([0-9a-f]{40})\.jpg$/;

/** Returns the path of an image, on any host of its links. */
export function imagePath(hash: string): string {
  return `/api/preview/${hash}.jpg`;
}

/** Returns the hash in the path of an image; null for any other path. */
export function hashInPath(path: string): string | null {
  return STORED.exec(path)?.[1] ?? null;
}

/** A given image: a new one, or one that the account has. */
type GivenImage = { readonly image: ReadImage } | { readonly hash: string };

/** Returns how an image is refused. */
function refusalOf(fault: ImageFault): Refusal {
  if (fault === 'FORMAT') return refusal('IMAGE');
  if (fault === 'ANIMATED') return refusal('IMAGE_ANIMATED');
  if (fault === 'TRAILING') return refusal('IMAGE_TRAILING');
  if (fault === 'TOO_MANY_PIXELS') return refusal('IMAGE_PIXELS', { max: MAX_PIXELS / 1_000_000 });
  return refusal(fault === 'BROKEN' ? 'IMAGE_BROKEN' : 'IMAGE_WORK');
}

/** Reads a given image, before anything decodes it; or returns how it is refused. */
function readGiven(text: string): GivenImage | Refusal {
  if (text.length > MAX_DATA_URL) return refusal('IMAGE_SIZE', { max: MAX_GIVEN / 1_000 });
  const prefix = DATA_URL.exec(text)?.[0];
  if (prefix === undefined) {
    const hash = text.length < 1_000 ? hashInPath(text.trim()) : null;
    return hash === null ? refusal('IMAGE') : { hash };
  }
  const encoded = text.slice(prefix.length);
  if (!BASE64.test(encoded)) return refusal('IMAGE');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_GIVEN) return refusal('IMAGE_SIZE', { max: MAX_GIVEN / 1_000 });
  try {
    return { image: readImage(bytes) };
  } catch (error) {
    if (error instanceof ImageRefused) return refusalOf(error.fault);
    throw error;
  }
}

const image = z
  .string(refusal('IMAGE'))
  .meta({ format: 'data-url' })
  .transform((text, context): GivenImage => {
    const read = readGiven(text);
    if (!('issue' in read)) return read;
    context.addIssue(read.issue);
    return z.NEVER;
  });

/** A text on one card, which null and the empty text clear. */
function cardText(max: number, words: string) {
  return textSchema(0, max)
    .describe(words)
    .transform((text) => text || null)
    .nullish();
}

/** The card that chats and social networks show of a link, as an input. */
export const previewInput = z
  .object({
    title: cardText(255, 'The title of the card, at most 255 characters.'),
    description: cardText(500, 'The text below the title, at most 500 characters.'),
    image: image
      .describe(
        'The picture: a data URL of a PNG, JPEG or WebP of at most 1 MB and 25 megapixels, or the `imageUrl` of one that ' +
          'the account has. It is made anew, as a JPEG of at most 100 kB without metadata.',
      )
      .nullish(),
  })
  .meta({
    title: 'LinkPreview',
    description:
      'The card that chats and social networks show of a link. In an update, absent fields do not change, and null clears a field.',
  });

export type PreviewInput = z.output<typeof previewInput>;

export const noPreview = { title: null, description: null, image: null };

/** The columns of a link's preview. */
export type PreviewColumns = Pick<Link, 'previewTitle' | 'previewDescription' | 'previewImage'>;

/** The preview's value in the log, as an input has it; null for none. */
export function previewText({
  previewTitle: title = null,
  previewDescription: description = null,
  previewImage: hash = null,
}: Partial<PreviewColumns>): string | null {
  if (title === null && description === null && hash === null) return null;
  return JSON.stringify({ title, description, image: hash && imagePath(hash) });
}

const refused = (why: Refusal) => invalid([fieldError(['preview', 'image'], why)]);

/** The images that were made of given ones that are still in use: a write that was overtaken begins anew. */
const made = new WeakMap<ReadImage, Promise<MadeImage>>();

/** Makes the image of a preview. @throws DomainError VALIDATION, RATE_LIMITED */
async function makeImage(given: ReadImage, actor: Writer, { images }: Services): Promise<Buffer> {
  const making = made.get(given) ?? images.make(ofAccount(actor), given, FORM);
  made.set(given, making);
  try {
    return Buffer.from((await making).bytes);
  } catch (error) {
    made.delete(given);
    if (error instanceof ImageRefused) throw refused(refusalOf(error.fault));
    if (error instanceof TooMuchWaiting)
      throw new DomainError('RATE_LIMITED', 'Too many images at once. Try again shortly.', [], RETRY_AFTER);
    throw error;
  }
}

/** Returns the hash of a given image, which the account has afterwards. @throws DomainError VALIDATION, RATE_LIMITED */
async function keepImage(
  db: Data,
  actor: Writer,
  services: Services,
  given: GivenImage,
  now: Date,
): Promise<string> {
  const { accountId } = actor;
  if ('hash' in given) {
    if (!(await noteImageUse(db, { accountId, hash: given.hash }, now)))
      throw refused(refusal('IMAGE_UNKNOWN'));
    return given.hash;
  }
  const content = await makeImage(given.image, actor, services);
  const secret = await readImageSecret(db, accountId);
  const hash = createHmac('sha256', secret).update('image').update(content).digest('hex').slice(0, 40);
  const max = services.previewMegabytes;
  if (!(await storeImage(db, { accountId, hash, content }, max * 1_000_000, now)))
    throw refused(refusal('IMAGE_STORAGE', { max }));
  return hash;
}

/**
 * Returns the columns that a preview sets. Its image is stored first: it takes long, so not in the transaction of the link. One that no
 * link names in the end is deleted.
 * @throws DomainError VALIDATION, RATE_LIMITED
 */
export async function previewColumns(
  db: Data,
  actor: Writer,
  services: Services,
  input: PreviewInput | undefined,
  now: Date,
): Promise<Partial<PreviewColumns>> {
  if (input === undefined) return {};
  const { title: previewTitle, description: previewDescription, image: given } = input;
  const previewImage = given && (await keepImage(db, actor, services, given, now));
  return {
    ...(previewTitle !== undefined && { previewTitle }),
    ...(previewDescription !== undefined && { previewDescription }),
    ...(previewImage !== undefined && { previewImage }),
  };
}
