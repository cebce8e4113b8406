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

/** Returns the id of the space or tag with a name, or an id as it is. @throws CliError if there is none, or several */
export async function findId(client: Client, kind: Kind, name: string): Promise<string> {
  const filter = { search: name };
  const list: List<Named> = kind === 'space' ? client.spaces({ filter }) : client.tags({ filter });
  const found = withName(await take(list, MOST), name);
  if (found.length > 1)
    throw new CliError(
      `There are ${found.length} ${kind}s called ${JSON.stringify(name)}: ids ${found.map(({ id }) => id).join(', ')}.`,
      EXIT.refused,
    );
  const [one] = found;
  if (one) return one.id;
  if (/^\d+$/.test(name)) return name;
  throw new CliError(`There is no ${kind} called ${JSON.stringify(name)}.`, EXIT.notFound);
}

/** Returns the id of the domain with a name. @throws CliError if the account cannot use it */
export async function findDomainId(client: Client, name: string): Promise<string> {
  const found = (await take(client.domains(), null)).find((one) => one.name === name.toLowerCase());
  if (found) return found.id;
  if (/^\d+$/.test(name)) return name;
  throw new CliError(`There is no domain called ${JSON.stringify(name)}.`, EXIT.notFound);
}
