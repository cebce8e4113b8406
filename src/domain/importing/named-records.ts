import type { Db } from '../../db/connection/db.ts';
import { tryOut } from '../../db/connection/enclosing.ts';
import type { Writer } from '../access/actor.ts';
import { createDomain, createDomainInput, usableDomains } from '../domain/domain.ts';
import { DomainError, type FieldError } from '../errors.ts';
import { parseInput } from '../input.ts';
import type { DryRun } from '../link/dry-run.ts';
import { createPixel, createPixelInput, parsePixel } from '../pixel.ts';
import type { Services } from '../services.ts';
import { createSpace, createSpaceInput } from '../space.ts';
import { withoutPort } from '../url.ts';
import type { DescribedPixel, ImportLine, NamedSpace } from './line.ts';

/** A space, pixel or domain of a line could not be found or created. */
export class Unresolved extends Error {
  readonly fields: readonly FieldError[];

  constructor(fields: readonly FieldError[]) {
    super('a record that the line names could not be found or created');
    this.fields = fields;
  }
}

/** A domain that the account may use. */
export interface UsableDomain {
  readonly id: number;
  readonly name: string;
  /** The host that the account does not have, if this is the default domain instead. */
  readonly insteadOf?: string;
}

/** How many names of spaces and pixels are cached. */
const MAX_KEPT = 50_000;

/**
 * Finds the spaces, pixels and domains of lines, and creates missing ones by their own rules; a dry run only counts these.
 */
export class NamedRecords {
  readonly #db: Db;
  readonly #writer: Writer;
  readonly #services: Services;
  readonly #trial: DryRun | undefined;
  readonly #now: Date;
  readonly #ids = new Map<string, number | null>();
  readonly #domains = new Map<string, UsableDomain>();
  readonly #mapped: ReadonlyMap<string, string>;
  #default: UsableDomain;
  /** How many were created. */
  readonly made = { spaces: 0, pixels: 0, domains: 0 };

  constructor(
    db: Db,
    writer: Writer,
    services: Services,
    options: { trial: DryRun | undefined; mapped: ReadonlyMap<string, string>; now: Date },
  ) {
    this.#db = db;
    this.#writer = writer;
    this.#services = services;
    this.#trial = options.trial;
    this.#mapped = options.mapped;
    this.#now = options.now;
    this.#default = { id: services.defaultDomainId, name: '' };
  }

  /** Reads the domains that the account may use. Returns the targets of the map that it may not use. */
  async start(): Promise<string[]> {
    const usable = await this.#db.domain.findMany({ where: usableDomains(this.#writer) });
    for (const { id, name } of usable) {
      this.#domains.set(name, { id, name });
      if (id === this.#services.defaultDomainId) this.#default = { id, name };
    }
    return [...this.#mapped.values()].filter((host) => !this.#domains.has(host));
  }

  get defaultName(): string {
    return this.#default.name;
  }

  /**
   * The domain for the links of a line.
   * @param requireValidLine throws Unresolved if the line is refused anyway: then nothing is created for it
   * @throws Unresolved
   */
  async domainOf(
    { host: said, ownDomain, domainNotFoundUrl }: ImportLine,
    requireValidLine: () => void,
  ): Promise<UsableDomain> {
    // A line without a host belongs to the default domain, and can be mapped by that name.
    const host = said ?? this.#default.name;
    const wanted = this.#mapped.get(host) ?? this.#mapped.get(withoutPort(host)) ?? host;
    const known = this.#domains.get(wanted);
    if (known) return known;
    if (!ownDomain) return { ...this.#default, insteadOf: host };
    const input = { name: wanted, notFoundUrl: domainNotFoundUrl };
    valid(['domain'], () => parseInput(createDomainInput, input));
    requireValidLine();
    const id = await this.#create(input).catch(refusing(['domain']));
    this.made.domains++;
    const domain = { id, name: wanted };
    this.#domains.set(wanted, domain);
    return domain;
  }

  async #create(input: { name: string; notFoundUrl: string | null }): Promise<number> {
    const create = (db: Db) => createDomain(db, this.#writer, this.#services, input, this.#now);
    if (this.#trial === undefined) return (await create(this.#db)).id;
    // Only the database knows whether another account has the host.
    await tryOut(this.#db, create);
    return this.#trial.addDomain(input.name);
  }

  /** The space's id; undefined if a dry run would create it. @throws Unresolved */
  async spaceOf({ name, color }: NamedSpace, requireValidLine: () => void): Promise<number | undefined> {
    const { accountId } = this.#writer;
    const input = { name, ...(color !== null && { color }) };
    const keyOf = (one: number | null) => `space ${one} ${name.trim()}`;
    const id = await this.#idOf(
      keyOf(color),
      () => {
        // Before it is looked up: PostgreSQL refuses impossible values.
        const space = valid(['space'], () => parseInput(createSpaceInput, input));
        const where = { accountId, name: space.name, ...(color !== null && { color }) };
        return this.#db.space.findFirst({ where, orderBy: { id: 'asc' }, select: { id: true } });
      },
      () => {
        requireValidLine();
        return this.#make('spaces', ['space'], () => createSpace(this.#db, this.#writer, input, this.#now));
      },
    );
    // A dry run cannot find it again by its name.
    if (this.#trial && !this.#ids.has(keyOf(null))) this.#ids.set(keyOf(null), id ?? null);
    return id;
  }

  /** The pixel's id; undefined if a dry run would create it. @throws Unresolved */
  async pixelOf(
    described: DescribedPixel,
    index: number,
    requireValidLine: () => void,
  ): Promise<number | undefined> {
    const { accountId } = this.#writer;
    const path = ['pixels', String(index)];
    const { name, type, value } = described;
    return this.#idOf(
      `pixel ${type} ${value.trim()} ${name.trim()}`,
      () => {
        // Stored pixels may have values that new ones must not have.
        const pixel = valid(path, () => parseInput(createPixelInput, described));
        const where = { accountId, ...pixel };
        return this.#db.pixel.findFirst({ where, orderBy: { id: 'asc' }, select: { id: true } });
      },
      () => {
        const pixel = valid(path, () => parsePixel(described));
        requireValidLine();
        return this.#make('pixels', path, () => createPixel(this.#db, this.#writer, pixel, this.#now));
      },
    );
  }

  async #idOf(
    key: string,
    find: () => Promise<{ id: number } | null>,
    make: () => Promise<number | null>,
  ): Promise<number | undefined> {
    const known = this.#ids.get(key);
    if (known !== undefined) return known ?? undefined;
    const found = await find();
    const id = found === null ? await make() : found.id;
    if (this.#ids.size >= MAX_KEPT) this.#ids.clear();
    this.#ids.set(key, id);
    return id ?? undefined;
  }

  /** Creates a record, or counts it in a dry run; errors are reported for the line's field at `path`. */
  async #make(
    what: keyof NamedRecords['made'],
    path: readonly string[],
    make: () => Promise<{ id: number }>,
  ): Promise<number | null> {
    const id = this.#trial ? null : (await make().catch(refusing(path))).id;
    this.made[what]++;
    return id;
  }
}

/** Reports what the rules refuse for the fields of the record that the line has at `path`. */
function refusing(path: readonly string[]): (error: unknown) => never {
  return (error) => {
    // One without fields is not about the line.
    if (!(error instanceof DomainError) || error.fields.length === 0) throw error;
    throw new Unresolved(
      error.fields.map((field) => ({ path: [...path, ...field.path], messages: field.messages })),
    );
  };
}

function valid<T>(path: readonly string[], parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    return refusing(path)(error);
  }
}
