import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { textSchema } from '../../engine/rules/input.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { hashOfImage, type ImageUse, imageSchema, keepImage, pathOfImage } from '../given-image.ts';
import type { Services } from '../services.ts';

/** The image of a preview: as large as networks show one. */
const PREVIEW: ImageUse = {
  field: ['preview', 'image'],
  maxGiven: 1_000_000,
  form: { format: 'jpeg', maxSide: 1_200, maxBytes: 100_000 },
  folder: '/api/preview/',
  extension: 'jpg',
};

/** Returns the path of an image, on any host of its links. */
export function imagePath(hash: string): string {
  return pathOfImage(PREVIEW, hash);
}

/** Returns the hash in the path of an image; null for any other path. */
export function hashInPath(path: string): string | null {
  return hashOfImage(PREVIEW, path);
}

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
    image: imageSchema(PREVIEW)
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
  const previewImage = given && (await keepImage(db, actor, services, PREVIEW, given, now));
  return {
    ...(previewTitle !== undefined && { previewTitle }),
    ...(previewDescription !== undefined && { previewDescription }),
    ...(previewImage !== undefined && { previewImage }),
  };
}
