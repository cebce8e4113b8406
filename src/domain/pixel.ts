import { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { Pixel } from '../generated/sqlite/client.ts';
import { type Actor, owned } from './actor.ts';
import { type FieldError, invalid, notFound } from './errors.ts';
import { choiceOf, parseInput, textOf, type Unparsed } from './input.ts';
import { deleteOwned, updateOwned } from './owned.ts';

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

const type = choiceOf(pixelTypes);

/** What an id of a network is made of: nothing that could end a text in a script or an address. AdRoll's is two ids. */
const plainId = /^[\w.-]+$/;
const formats: Readonly<Record<PixelType, { format: RegExp; allowed: string }>> = {
  ADROLL: { format: /^[\w-]+(:[\w-]+)?$/, allowed: 'ADVERTISER:PIXEL, both of letters, digits, - and _' },
  BING: plain('12345678'),
  FACEBOOK: plain('1234567890'),
  GOOGLE_ADS: plain('AW-123456789'),
  GOOGLE_ANALYTICS: plain('G-ABC1234567'),
  GOOGLE_TAG_MANAGER: plain('GTM-ABC123'),
  LINKEDIN: plain('123456'),
  PINTEREST: plain('2612345678901'),
  QUORA: plain('0123456789abcdef'),
  X: plain('o1abc'),
};

function plain(example: string) {
  return { format: plainId, allowed: `letters, digits, ., - and _, such as ${example}` };
}

const fields = { name: textOf(1, 255), type, value: textOf(1, 255) };

/** What is wrong with a value for a type; an empty list where nothing is. */
function wrongValue(pixelType: PixelType, value: string): FieldError[] {
  const { format, allowed } = formats[pixelType];
  return format.test(value) ? [] : [{ path: ['value'], messages: [`must be ${allowed}`] }];
}

export const createPixelInput = z.object(fields);
export const updatePixelInput = z.object(fields).partial();

/** The type that a stored pixel has. */
export function typeOfPixel(pixel: Pick<Pixel, 'type'>): PixelType {
  return type.parse(pixel.type);
}

/** @throws DomainError VALIDATION */
export async function createPixel(
  db: Db,
  actor: Actor,
  input: Unparsed<typeof createPixelInput>,
  now: Date,
): Promise<Pixel> {
  const data = parseInput(createPixelInput, input);
  const wrong = wrongValue(data.type, data.value);
  if (wrong.length > 0) throw invalid(wrong);
  return db.pixel.create({ data: { ...data, accountId: actor.accountId, createdAt: now, updatedAt: now } });
}

/**
 * Changes the fields that are there; none can be cleared.
 * @throws DomainError VALIDATION, NOT_FOUND
 */
export async function updatePixel(
  db: Db,
  actor: Actor,
  id: string,
  input: Unparsed<typeof updatePixelInput>,
  now: Date,
): Promise<Pixel> {
  const data = parseInput(updatePixelInput, input);
  if (data.type !== undefined || data.value !== undefined) {
    const where = owned(actor, id);
    const pixel = where && (await db.pixel.findUnique({ where }));
    if (pixel === null) throw notFound('pixel');
    const wrong = wrongValue(data.type ?? typeOfPixel(pixel), data.value ?? pixel.value);
    if (wrong.length > 0) throw invalid(wrong);
  }
  return updateOwned(db.pixel, 'pixel', actor, id, data, now);
}

/**
 * Deletes the pixel and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deletePixel(db: Db, actor: Actor, id: string): Promise<number> {
  return deleteOwned(db.pixel, 'pixel', actor, id);
}
