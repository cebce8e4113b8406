import type { Client, List } from '@linkspace/client';
import { CliError, EXIT } from './errors.ts';
import { take } from './pages.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

type Kind = 'space' | 'tag';

/** The most records that one search by name reads. */
const MOST = 1_000;

/** Returns the records with this name: in the same case, or else in any case. */
export function withName<Item extends Named>(records: readonly Item[], name: string): readonly Item[] {
  const exact = records.filter((one) => one.name === name);
  return exact.length > 0 ? exact : records.filter((one) => one.name.toLowerCase() === name.toLowerCase());
}

/** The beginning of an id where a name may stand, too: `id:1`. */
const ID = /^id:(\d+)$/;

/** Returns true for what may be an id without `id:` before it. */
const isBareId = (reference: string): boolean => /^\d+$/.test(reference);

/** Returns an error that no record has the name or the id. */
function notFound(kind: string, reference: string): CliError {
  const id = ID.exec(reference)?.[1];
  const words = id === undefined ? `called ${JSON.stringify(reference)}` : `with the id ${id}`;
  return new CliError(`There is no ${kind} ${words}.`, EXIT.notFound);
}

async function findOrNull(client: Client, kind: Kind, reference: string): Promise<string | null> {
  const id = ID.exec(reference)?.[1];
  if (id !== undefined) {
    const record = await (kind === 'space' ? client.getSpace(id) : client.getTag(id));
    return record?.id ?? null;
  }
  const filter = { search: reference };
  const list: List<Named> = kind === 'space' ? client.spaces({ filter }) : client.tags({ filter });
  const found = withName(await take(list, MOST), reference);
  if (found.length > 1)
    throw new CliError(
      `There are ${found.length} ${kind}s called ${JSON.stringify(reference)}: ids ${found.map(({ id }) => id).join(', ')}.`,
      EXIT.refused,
    );
  return found[0]?.id ?? null;
}

/** Returns the id of the space or tag with a name, or with an id after `id:`. @throws CliError if there is none, or several */
export async function findNamed(client: Client, kind: Kind, reference: string): Promise<string> {
  const id = await findOrNull(client, kind, reference);
  if (id === null) throw notFound(kind, reference);
  return id;
}

/** Returns the id of the space or tag for a command line, where digits that are no name are an id. @throws CliError as `findNamed` */
export async function findId(client: Client, kind: Kind, reference: string): Promise<string> {
  const id = await findOrNull(client, kind, reference);
  if (id !== null) return id;
  if (isBareId(reference)) return reference;
  throw notFound(kind, reference);
}

async function findDomainOrNull(client: Client, reference: string): Promise<string | null> {
  const id = ID.exec(reference)?.[1];
  const domains = await take(client.domains(), null);
  const found = domains.find((one) =>
    id === undefined ? one.name === reference.toLowerCase() : one.id === id,
  );
  return found?.id ?? null;
}

/** Returns the id of the domain with a name, or with an id after `id:`. @throws CliError if the account cannot use it */
export async function findNamedDomain(client: Client, reference: string): Promise<string> {
  const id = await findDomainOrNull(client, reference);
  if (id === null) throw notFound('domain', reference);
  return id;
}

/** Returns the id of the domain for a command line, where digits are an id. @throws CliError as `findNamedDomain` */
export async function findDomainId(client: Client, reference: string): Promise<string> {
  const id = await findDomainOrNull(client, reference);
  if (id !== null) return id;
  if (isBareId(reference)) return reference;
  throw notFound('domain', reference);
}
