import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { fieldError, invalid } from '../../engine/rules/errors.ts';
import { nameSchema } from '../../engine/rules/input.ts';
import { protocolOf, sendableAddress } from '../../engine/rules/url.ts';
import type { Account } from '../../generated/sqlite/client.ts';
import { hashOfImage, type ImageUse, imageSchema, keepImage, pathOfImage } from '../given-image.ts';
import { hostBlocked } from '../link/blocklists.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import type { Actor } from './actor.ts';
import { readableColour } from './readable-colour.ts';

const LOGO: ImageUse = {
  field: ['brand', 'logo'],
  maxGiven: 512_000,
  form: { format: 'png', maxSide: 512 },
  folder: '/api/brand/',
  extension: 'png',
};

/** Returns the path of a logo, on any host of the account's links. */
export function logoPath(hash: string): string {
  return pathOfImage(LOGO, hash);
}

/** Returns the hash in the path of a logo; null for any other path. */
export function logoInPath(path: string): string | null {
  return hashOfImage(LOGO, path);
}

const colour = z
  .string(refusal('COLOUR'))
  .trim()
  .regex(/^#[0-9a-f]{6}$/i, refusal('COLOUR'))
  .transform(readableColour);

const isSecure = (text: string) => text === '' || protocolOf(text) === 'https:';

/** The brand of an account, as an input. */
export const brandInput = z
  .object({
    logo: imageSchema(LOGO)
      .describe(
        'The logo: a data URL of a PNG, JPEG or WebP of at most 512 kB and 25 megapixels, or the `logoUrl` of one that the ' +
          'account has. It is made anew, as a PNG of at most 512 pixels without metadata.',
      )
      .nullish(),
    colour: colour
      .describe(
        'The colour of buttons, as `#rrggbb`. A light one is darkened until white text on it can be read.',
      )
      .nullish(),
    name: nameSchema(60).describe('The name that visitors see, 1 to 60 characters.').nullish(),
    helpUrl: sendableAddress
      .refine(isSecure, refusal('HTTPS'))
      .describe('A page that helps visitors, at https.')
      .nullish(),
  })
  .meta({
    title: 'Brand',
    description:
      'What pages for visitors show of the account. In an update, absent fields do not change, and null clears a field.',
  });

type BrandInput = z.output<typeof brandInput>;

/** The columns of an account's brand. */
export type BrandColumns = Pick<Account, 'brandLogo' | 'brandColour' | 'brandName' | 'brandHelpUrl'>;

const NONE: BrandColumns = { brandLogo: null, brandColour: null, brandName: null, brandHelpUrl: null };

/** True if an account has a brand. */
export function hasBrand({ brandLogo, brandColour, brandName, brandHelpUrl }: BrandColumns): boolean {
  return [brandLogo, brandColour, brandName, brandHelpUrl].some((one) => one !== null);
}

/** The brand without a page of help that is blocked since it was set. */
export function shownBrand(brand: BrandColumns | null, lists: Services['lists']): BrandColumns | null {
  const isBlocked = brand !== null && brand.brandHelpUrl !== null && lists.blocksAddress(brand.brandHelpUrl);
  return isBlocked ? { ...brand, brandHelpUrl: null } : brand;
}

/**
 * Returns the columns that a brand sets; null clears all. Its logo is stored first.
 * @throws DomainError VALIDATION, RATE_LIMITED
 */
export async function brandColumns(
  db: Data,
  actor: Actor,
  services: Services,
  input: BrandInput | null | undefined,
  now: Date,
): Promise<Partial<BrandColumns>> {
  if (input === undefined) return {};
  if (input === null) return NONE;
  const { logo, colour: brandColour, name: brandName, helpUrl: brandHelpUrl } = input;
  if (brandHelpUrl && services.lists.blocksAddress(brandHelpUrl))
    throw invalid([fieldError(['brand', 'helpUrl'], hostBlocked)]);
  const brandLogo = logo && (await keepImage(db, actor, services, LOGO, logo, now));
  return {
    ...(brandLogo !== undefined && { brandLogo }),
    ...(brandColour !== undefined && { brandColour }),
    ...(brandName !== undefined && { brandName }),
    ...(brandHelpUrl !== undefined && { brandHelpUrl }),
  };
}
