import { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { Pixel } from '../generated/sqlite/client.ts';
import type { Actor } from './actor.ts';
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
const fields = { name: textOf(1, 255), type, value: textOf(1, 255) };

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
  return updateOwned(db.pixel, 'pixel', actor, id, data, now);
}

/**
 * Deletes the pixel and returns its id.
 * @throws DomainError NOT_FOUND
 */
export async function deletePixel(db: Db, actor: Actor, id: string): Promise<number> {
  return deleteOwned(db.pixel, 'pixel', actor, id);
}
