import { z } from 'zod';
import type { Data } from '../db/database.ts';
import { linksWithPixel, takePixelFromLinks } from '../db/links.ts';
import type { Writer } from '../engine/rules/caller.ts';
import { type FieldError, fieldError, invalid, invalidField } from '../engine/rules/errors.ts';
import { choiceSchema, parseInput, textSchema, type Unparsed } from '../engine/rules/input.ts';
import type { Pixel } from '../generated/sqlite/client.ts';
import type { Actor } from './access/actor.ts';
import { createOwned, createReaders, type Kind, requireRoom, updateOwned } from './access/ownership.ts';
import { emptyAndDeleteOwned } from './empty-record.ts';
import { keepLists } from './link/values.ts';
import type { LongWork } from './long-work.ts';
import { refusal } from './rules.ts';

export type { Pixel };

/** The networks whose pixels a link can fire. */
export const pixelTypes = {
  ADROLL: 'AdRoll',
  BING: 'Microsoft Advertising, formerly Bing',
  FACEBOOK: 'Meta, formerly Facebook',
  GOOGLE_ADS: 'Google Ads',
  GOOGLE_ANALYTICS: 'Google Analytics',
  GOOGLE_TAG_MANAGER: 'Google Tag Manager',
  LINKEDIN: 'LinkedIn',
  PINTEREST: 'Pinterest',
  QUORA: 'Quora',
  X: 'X, formerly Twitter',
} as const;

export type PixelType = keyof typeof pixelTypes;

const type = choiceSchema(pixelTypes).meta({
  title: 'PixelType',
  description: 'The network that it reports to.',
});

/**
 * The form of each network's ids. It allows nothing that could end a string in a script or a URL, and no other network's
 * id: the owner of a tag manager's container decides which scripts it runs.
 */
const formats: Readonly<Record<PixelType, { format: RegExp; allowed: string; example: string }>> = {
  ADROLL: {
    format: /^[a-z\d]+(:[a-z\d]+)?$/i,
    allowed: 'ADVERTISER:PIXEL, both of letters and digits',
    example: 'ABCDEF123456:GHIJKL789012',
  },
  BING: { format: /^\d+$/, allowed: 'digits', example: '12345678' },
  FACEBOOK: { format: /^\d+$/, allowed: 'digits', example: '1234567890' },
  GOOGLE_ADS: { format: /^AW-\d+$/, allowed: 'AW- and digits', example: 'AW-123456789' },
  GOOGLE_ANALYTICS: {
    format: /^(G-[A-Z\d]+|UA-\d+-\d+)$/,
    allowed: 'G- and capital letters and digits',
    example: 'G-ABC1234567',
  },
  GOOGLE_TAG_MANAGER: {
    format: /^GTM-[A-Z\d]+$/,
    allowed: 'GTM- and capital letters and digits',
    example: 'GTM-ABC123',
  },
  LINKEDIN: { format: /^\d+$/, allowed: 'digits', example: '123456' },
  PINTEREST: { format: /^\d+$/, allowed: 'digits', example: '2612345678901' },
  QUORA: { format: /^[a-z\d]+$/i, allowed: 'letters and digits', example: '0123456789abcdef' },
  X: { format: /^[a-z\d]+$/i, allowed: 'letters and digits', example: 'o1abc' },
};

const fields = {
  name: textSchema(1, 255).describe('The name, 1 to 255 characters.'),
  type,
  value: textSchema(1, 255).describe('The id from the network, 1 to 255 characters.'),
};

const kind = {
  kind: 'PIXEL',
  what: 'pixel',
  table: 'Pixel',
  fields: {},
  rows: (tx) => tx.prisma.pixel,
} satisfies Kind<Pixel, Partial<Pixel>>;

/** Maximum number of pixels of an account. */
export const MAX_PIXELS = 1_000;
export const noRoomForPixels = refusal('PIXELS_OF_ACCOUNT', { max: MAX_PIXELS });

export const {
  find: findPixel,
  findMany: findPixels,
  connection: pixelConnection,
} = createReaders<Pixel>(kind);

/** The errors of a value for a type; empty if it is valid. */
function wrongValue(pixelType: PixelType, value: string): FieldError[] {
  const { format, ...form } = formats[pixelType];
  return format.test(value) ? [] : [fieldError(['value'], refusal('PIXEL_VALUE', form))];
}

/** True if a stored pixel can be fired. Earlier versions accepted ids of other networks. */
export function isFireable(pixel: Pick<Pixel, 'type' | 'value'>): boolean {
  return wrongValue(typeOfPixel(pixel), pixel.value).length === 0;
}

export const createPixelInput = z.object(fields);
export const updatePixelInput = z.object(fields).partial();

/** The fields of a new pixel. @throws DomainError VALIDATION */
export function parsePixel(input: unknown): z.output<typeof createPixelInput> {
  const pixel = parseInput(createPixelInput, input);
  const wrong = wrongValue(pixel.type, pixel.value);
  if (wrong.length > 0) throw invalid(wrong);
  return pixel;
}

/** The type of a stored pixel. */
export function typeOfPixel(pixel: Pick<Pixel, 'type'>): PixelType {
  return type.parse(pixel.type);
}

/** @throws DomainError VALIDATION */
export async function createPixel(
  db: Data,
  actor: Writer,
  input: Unparsed<typeof createPixelInput>,
  now: Date,
): Promise<Pixel> {
  const data = parsePixel(input);
  const { accountId } = actor;
  return createOwned(db, kind, actor, now, data, async (tx, common) => {
    const count = () => tx.prisma.pixel.count({ where: { accountId } });
    await requireRoom(tx, accountId, MAX_PIXELS, count, () => invalidField('name', noRoomForPixels));
    return tx.prisma.pixel.create({ data: { ...data, ...common } });
  });
}

/**
 * Changes the given fields; none can be cleared.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updatePixel(
  db: Data,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updatePixelInput>,
  now: Date,
): Promise<Pixel> {
  const data = parseInput(updatePixelInput, input);
  return updateOwned(db, kind, actor, id, now, (pixel) => {
    const judged = data.type !== undefined || data.value !== undefined;
    const wrong = judged ? wrongValue(data.type ?? typeOfPixel(pixel), data.value ?? pixel.value) : [];
    if (wrong.length > 0) throw invalid(wrong);
    return data;
  });
}

/**
 * Deletes the pixel, also from its links, and returns its id. Of many links, it is first taken in slices.
 * @throws DomainError NOT_FOUND, and the errors of `emptyAndDelete`
 */
export async function deletePixel(
  db: Data,
  work: LongWork,
  actor: Actor,
  id: string,
  now: Date,
): Promise<number> {
  return emptyAndDeleteOwned(db, work, kind, actor, id, now, (pixel) => ({
    linksAfter: (data, after, max) => linksWithPixel(data, pixel.id, after, max),
    async take({ tx, record }, ids) {
      const pixelsBefore = await takePixelFromLinks(tx, pixel.id, ids, now);
      const values = keepLists('pixels', pixelsBefore, (id) => id !== pixel.id);
      await record('UPDATED', 'LINK', [...values.keys()], ['pixels'], { values });
      return [...values.keys()];
    },
  }));
}
