import type { Logger } from 'pino';
import { Retention } from '../engine/db/retention.ts';
import { sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/** An image of an account, by its content. */
export interface NewImage {
  readonly accountId: number;
  readonly hash: string;
  readonly content: Buffer;
}

/** Beginnings of images in base64, by their formats. */
const BEGINNINGS = { jpeg: '/9j/', png: 'iVBORw0KGgo' } as const;

export type ImageFormat = keyof typeof BEGINNINGS;

/** Reads the secret by which an account's images are hashed. */
export async function readImageSecret(db: Data, accountId: number): Promise<string> {
  const { steps } = await db.prisma.accountSecret.findUniqueOrThrow({ where: { accountId } });
  return steps;
}

/** Notes that a write names an image of the account; returns false if the account has no such image of the format. */
export async function noteImageUse(
  db: Data,
  { accountId, hash }: Pick<NewImage, 'accountId' | 'hash'>,
  format: ImageFormat,
  now: Date,
): Promise<boolean> {
  const where = { accountId, hash, content: { startsWith: BEGINNINGS[format] } };
  const { count } = await db.prisma.image.updateMany({ where, data: { usedAt: now } });
  return count > 0;
}

/**
 * Stores an image, unless the account has it already; returns false if its images would have too many bytes then. Whoever stores
 * one locks the account's secret, so that two writes count each other.
 */
export function storeImage(
  db: Data,
  { accountId, hash, content }: NewImage,
  format: ImageFormat,
  maxBytes: number,
  now: Date,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const lock = tx.dialect.lock('FOR NO KEY UPDATE');
    await tx.read(sql`SELECT 1 FROM "AccountSecret" WHERE "accountId" = ${accountId} ${lock}`);
    if (await noteImageUse(tx, { accountId, hash }, format, now)) return true;
    const { _sum: sum } = await tx.prisma.image.aggregate({ where: { accountId }, _sum: { size: true } });
    if ((sum.size ?? 0) + content.length > maxBytes) return false;
    const data = { accountId, hash, content: content.toString('base64'), size: content.length, usedAt: now };
    await tx.prisma.image.create({ data });
    return true;
  });
}

/** An image as visitors get it. */
export interface ServedImage {
  readonly id: number;
  readonly accountId: number;
  readonly content: string;
}

/** Finds an image of an account that is not disabled, by its hash and format; null if there is none. */
export async function findServedImage(
  { prisma }: Data,
  hash: string,
  format: ImageFormat,
): Promise<ServedImage | null> {
  const select = { id: true, accountId: true, content: true };
  const found = await prisma.image.findFirst({ where: { hash, account: { disabledAt: null } }, select });
  return found?.content.startsWith(BEGINNINGS[format]) ? found : null;
}

/** Returns the content of the account's images with these hashes, in base64. */
export async function readImages(
  { prisma }: Data,
  accountId: number,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const select = { hash: true, content: true };
  const found = await prisma.image.findMany({ where: { accountId, hash: { in: [...hashes] } }, select });
  return new Map(found.map(({ hash, content }) => [hash, content]));
}

/** Milliseconds for which an image waits for the write that stored it: far longer than a write may take. */
const WAITS_FOR = 10 * 60_000;

/** Maximum number of images that one statement deletes. */
const DELETE_BATCH_SIZE = 100;

/** Deletes images that neither a link, nor an account, nor a kept change names. */
export class ImageRetention extends Retention {
  readonly #db: Data;
  readonly #now: () => Date;

  constructor(db: Data, now: () => Date, log: Logger) {
    super(log, 20);
    this.#db = db;
    this.#now = now;
  }

  override deleteOld(): Promise<void> {
    return this.untilNone(async () => (await deleteUnnamed(this.#db, this.#now())) === DELETE_BATCH_SIZE);
  }
}

/** Deletes some images that nothing names; returns how many. A write that names one notes that first, and so keeps it. */
function deleteUnnamed(db: Data, now: Date): Promise<number> {
  const before = new Date(now.getTime() - WAITS_FOR);
  return db.execute(sql`DELETE FROM "Image" WHERE "usedAt" < ${before} AND "id" IN (
    SELECT "id" FROM "Image" WHERE "usedAt" < ${before}
      AND NOT EXISTS (SELECT 1 FROM "Link" WHERE "Link"."previewImage" = "Image"."hash")
      AND NOT EXISTS (SELECT 1 FROM "Account"
        WHERE "Account"."id" = "Image"."accountId" AND "Account"."brandLogo" = "Image"."hash")
      AND NOT EXISTS (SELECT 1 FROM "ChangeImage" WHERE "ChangeImage"."hash" = "Image"."hash")
    LIMIT ${DELETE_BATCH_SIZE})`);
}
