import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { idsOfTags } from '../../db/tags.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { DomainError, type FieldError, fieldError } from '../../engine/rules/errors.ts';
import { fieldErrors, foldCase, parseInput } from '../../engine/rules/input.ts';
import { withoutPort } from '../../engine/rules/url.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { permissions } from '../access/role.ts';
import { createLinkInput } from '../link/fields.ts';
import type { DryRun } from '../link/used-aliases.ts';
import { createNamedInput } from '../name-and-color.ts';
import type { DocumentChecks } from '../operation/checks.ts';
import {
  createOperation,
  createOperationInput,
  findOperationByName,
  parseOperation,
} from '../operation/operation.ts';
import { createPixel, createPixelInput, MAX_PIXELS, noRoomForPixels, parsePixel } from '../pixel.ts';
import { refusal } from '../rules.ts';
import {
  countViews,
  createView,
  createViewInput,
  hasView,
  MAX_VIEWS,
  noRoomForViews,
} from '../saved-view.ts';
import type { Services } from '../services.ts';
import { appsColumn } from '../short-domain/apps.ts';
import { createDomain, createDomainInput, usableDomains } from '../short-domain/domain.ts';
import { createSpace, MAX_SPACES, noRoomForSpaces } from '../space.ts';
import { createTag } from '../tag.ts';
import { type ImportLine, RefusedLine } from './line.ts';

/** A domain that the account may use. */
export interface UsableDomain {
  readonly id: number;
  readonly name: string;
  /** The host that the account does not have, if this is the default domain instead. */
  readonly insteadOf?: string;
}

export interface ImportContext {
  readonly db: Data;
  readonly writer: Writer;
  readonly services: Services;
  readonly now: Date;
  readonly dryRun: DryRun | undefined;
}

/** Which records an import may create beside links. */
export interface NewRecordOptions {
  readonly mapDomain: ReadonlyMap<string, string>;
  /** True if lines that would add a domain to the account are refused. */
  readonly refusesDomains?: boolean;
  /** Loads the checks of saved operations; without it, lines with one are refused. */
  readonly loadChecks?: () => Promise<DocumentChecks>;
  /** Maximum number of spaces, pixels and domains that it may create; unlimited by default. */
  readonly maxNew?: number;
}

/** The maximum numbers of an account's spaces and pixels, with queries for their current numbers. */
const rooms = {
  spaces: {
    ...{ max: MAX_SPACES, refused: noRoomForSpaces },
    count: (db: Data, accountId: number) => db.prisma.space.count({ where: { accountId } }),
  },
  pixels: {
    ...{ max: MAX_PIXELS, refused: noRoomForPixels },
    count: (db: Data, accountId: number) => db.prisma.pixel.count({ where: { accountId } }),
  },
};

/** A saved operation, as the export writes it. */
const exportedOperation = createOperationInput
  .omit({ isTool: true })
  .extend({ is_tool: createOperationInput.shape.isTool });

const importedApps = z.object({ apps: appsColumn });

/** The reason of a rollback without an error. */
class TriedOut extends Error {}

/** Maximum number of cached names of spaces and pixels. */
const MAX_CACHED = 50_000;

/**
 * Finds the spaces, pixels and domains of lines, and creates missing ones by their own rules; a dry run only counts these. Nothing
 * is created for a line that is refused.
 */
export class NamedRecords {
  readonly #context: ImportContext;
  readonly #options: NewRecordOptions;
  readonly #ids = new Map<string, number | null>();
  readonly #domains = new Map<string, UsableDomain>();
  /** Numbers of the account's records before a dry run. */
  readonly #own = new Map<keyof typeof rooms, number>();
  #default: UsableDomain;
  /** The case-folded names of the tags that are made. */
  readonly newTags = new Set<string>();
  /** The case-folded names of the views that are made. */
  readonly #newViews = new Set<string>();
  readonly created = { spaces: 0, pixels: 0, domains: 0, operations: 0, views: 0 };

  constructor(context: ImportContext, options: NewRecordOptions) {
    this.#context = context;
    this.#options = options;
    this.#default = { id: context.services.defaultDomainId, name: '' };
  }

  /** Reads the domains that the account may use. Returns the targets of the map that it may not use. */
  async start(): Promise<string[]> {
    const { db, writer } = this.#context;
    for (const { id, name } of await db.prisma.domain.findMany({ where: usableDomains(writer) })) {
      this.#domains.set(name, { id, name });
      if (id === this.#default.id) this.#default = { id, name };
    }
    return [...this.#options.mapDomain.values()].filter((host) => !this.#domains.has(host));
  }

  get defaultName(): string {
    return this.#default.name;
  }

  /** The domain for a line's link with that host. @throws RefusedLine */
  async resolveDomain(line: ImportLine, named: string | null): Promise<UsableDomain> {
    // A line without a host belongs to the default domain, and can be mapped by that name.
    const host = named ?? this.#default.name;
    const { mapDomain, refusesDomains } = this.#options;
    const name = mapDomain.get(host) ?? mapDomain.get(withoutPort(host)) ?? host;
    const known = this.#domains.get(name);
    if (known) return known;
    if (!line.ownDomain) return { ...this.#default, insteadOf: host };
    if (refusesDomains)
      throw new RefusedLine([
        fieldError(['domain'], refusal('NEW_DOMAIN', { role: permissions.DOMAINS.role })),
      ]);
    const input = { name, ...line.domainFields };
    await refusing(['domain'], () => parseInput(createDomainInput, input));
    const { apps = null } = await refusing(['domain'], () =>
      parseInput(importedApps, { apps: line.domainApps }),
    );
    requireValid(line);
    this.#requireRoom(['domain']);
    const id = await refusing(['domain'], () => this.#createDomain(input, apps));
    this.created.domains++;
    this.#domains.set(name, { id, name });
    return { id, name };
  }

  async #createDomain(
    input: ImportLine['domainFields'] & { name: string },
    apps: string | null,
  ): Promise<number> {
    const { db, writer, services, now, dryRun } = this.#context;
    const create = (tx: Data) => createDomain(tx, writer, services, input, now, apps);
    if (dryRun === undefined) return (await create(db)).id;
    // Only the database knows whether another account has the host.
    await db
      .transaction(async (tx) => {
        await create(tx);
        throw new TriedOut();
      })
      .catch((error: unknown) => {
        if (!(error instanceof TriedOut)) throw error;
      });
    return dryRun.addDomain(input.name);
  }

  /** The id of the line's space; undefined if it has none, or if a dry run would create it. @throws RefusedLine */
  async resolveSpace(line: ImportLine): Promise<number | undefined> {
    if (line.space === null) return undefined;
    const { db, writer, now, dryRun } = this.#context;
    const { name, color } = line.space;
    const ofColor = color === null ? {} : { color };
    const input = { name, ...ofColor };
    const spaceKey = (one: number | null) => nameFor('space', String(one), name.trim());
    const find = async () => {
      // Before it is looked up: PostgreSQL refuses impossible values.
      const space = await refusing(['space'], () => parseInput(createNamedInput, input));
      const where = { accountId: writer.accountId, name: space.name, ...ofColor };
      return db.prisma.space.findFirst({ where, orderBy: { id: 'asc' }, select: { id: true } });
    };
    const create = () => {
      requireValid(line);
      return this.#create('spaces', ['space'], () => createSpace(db, writer, input, now));
    };
    const id = await this.#resolveId(spaceKey(color), find, create);
    // A dry run cannot find it again by its name.
    if (dryRun && !this.#ids.has(spaceKey(null))) this.#ids.set(spaceKey(null), id);
    return id ?? undefined;
  }

  /** Makes the tags of a line that is only about them. Those of links are made with the links. @throws RefusedLine */
  async makeTags({ tags }: ImportLine): Promise<void> {
    const { db, writer, now, dryRun } = this.#context;
    const known = await idsOfTags(
      db,
      writer.accountId,
      tags.map((tag) => foldCase(tag.name)),
    );
    for (const { name, color } of tags.filter((tag) => !known.has(foldCase(tag.name)))) {
      if (!dryRun) await refusing(['tags'], () => createTag(db, writer, { name, color }, now));
      this.newTags.add(foldCase(name));
    }
  }

  /** Creates the line's saved operation; one with its name stays as it is. Returns true for a new one. @throws RefusedLine */
  async makeOperation({ operation }: ImportLine): Promise<boolean> {
    const { loadChecks } = this.#options;
    const { db, writer, now, dryRun } = this.#context;
    if (loadChecks === undefined)
      throw new RefusedLine([fieldError(['kind'], 'is operation, which only the operator imports')]);
    const path = ['operations', '0'];
    const { is_tool: isTool, ...shown } = await refusing(path, () =>
      parseInput(exportedOperation, operation),
    );
    const input = { ...shown, isTool };
    if ((await findOperationByName(db, writer, String(shown.name))) !== null) return false;
    const checks = await loadChecks();
    await refusing(path, () =>
      dryRun ? parseOperation(checks, input) : createOperation(db, writer, checks, input, now),
    );
    this.created.operations++;
    return true;
  }

  /** Creates the line's saved view; one with its name stays as it is. @throws RefusedLine */
  async makeView({ view: given }: ImportLine): Promise<void> {
    const { db, writer, now, dryRun } = this.#context;
    const { accountId } = writer;
    const path = ['views', '0'];
    const view = await refusing(path, () => parseInput(createViewInput, given));
    const key = foldCase(view.name);
    if (this.#newViews.has(key) || (await hasView(db, accountId, view.name))) return;
    if (!dryRun) await refusing(path, () => createView(db, writer, view, now));
    else if ((await countViews(db, accountId)) + this.created.views >= MAX_VIEWS)
      throw new RefusedLine([fieldError([...path, 'name'], noRoomForViews)]);
    this.#newViews.add(key);
    this.created.views++;
  }

  /** The ids of the line's pixels, without those that a dry run would create. @throws RefusedLine */
  async resolvePixels(line: ImportLine): Promise<number[]> {
    const ids: (number | null)[] = [];
    for (const [index, pixel] of line.pixels.entries())
      ids.push(await this.#resolvePixel(line, pixel, ['pixels', String(index)]));
    return ids.filter((id) => id !== null);
  }

  #resolvePixel(
    line: ImportLine,
    described: ImportLine['pixels'][number],
    path: readonly string[],
  ): Promise<number | null> {
    const { db, writer, now } = this.#context;
    const { name, type, value } = described;
    const find = async () => {
      // Stored pixels may have values that new ones must not have.
      const pixel = await refusing(path, () => parseInput(createPixelInput, described));
      const where = { accountId: writer.accountId, ...pixel };
      return db.prisma.pixel.findFirst({ where, orderBy: { id: 'asc' }, select: { id: true } });
    };
    const create = async () => {
      const pixel = await refusing(path, () => parsePixel(described));
      requireValid(line);
      return this.#create('pixels', path, () => createPixel(db, writer, pixel, now));
    };
    return this.#resolveId(nameFor('pixel', type, value.trim(), name.trim()), find, create);
  }

  /** The id of a record; null if a dry run would create it. */
  async #resolveId(
    key: string,
    find: () => Promise<{ id: number } | null>,
    create: () => Promise<number | null>,
  ): Promise<number | null> {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const found = await find();
    const id = found === null ? await create() : found.id;
    if (this.#ids.size >= MAX_CACHED) this.#ids.clear();
    this.#ids.set(key, id);
    return id;
  }

  async #create(
    what: keyof typeof rooms,
    path: readonly string[],
    create: () => Promise<{ id: number }>,
  ): Promise<number | null> {
    this.#requireRoom(path);
    const id = this.#context.dryRun ? await this.#tryOut(what, path) : (await refusing(path, create)).id;
    this.created[what]++;
    return id;
  }

  /** @throws RefusedLine if the account has no room for one more record */
  async #tryOut(what: keyof typeof rooms, path: readonly string[]): Promise<null> {
    const { db, writer } = this.#context;
    const { max, refused, count } = rooms[what];
    const own = this.#own.get(what) ?? (await count(db, writer.accountId));
    this.#own.set(what, own);
    if (own + this.created[what] >= max) throw new RefusedLine([fieldError([...path, 'name'], refused)]);
    return null;
  }

  /** @throws RefusedLine if no more records may be created */
  #requireRoom(path: readonly string[]): void {
    const { maxNew = Number.POSITIVE_INFINITY } = this.#options;
    const { spaces, pixels, domains } = this.created;
    if (spaces + pixels + domains < maxNew) return;
    throw new RefusedLine([fieldError(path, refusal('NEW_RECORDS', { max: maxNew }))]);
  }
}

/** @throws RefusedLine if the rules refuse every link of the line */
function requireValid({ kind, names, fields }: ImportLine): void {
  if (kind !== 'link') return;
  const errors = names.map(({ alias }) => createLinkInput.safeParse({ ...fields, alias }).error);
  if (errors[0] && errors.every((error) => error !== undefined))
    throw new RefusedLine(fieldErrors(errors[0]));
}

/** Does the work for the record that the line has at `path`, and throws its invalid fields as a RefusedLine. */
async function refusing<T>(path: readonly string[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // An error without fields is not about the line.
    if (!(error instanceof DomainError) || error.fields.length === 0) throw error;
    throw new RefusedLine(
      error.fields.map((field): FieldError => ({ ...field, path: [...path, ...field.path] })),
    );
  }
}
