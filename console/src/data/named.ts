import {
  ColorsDocument,
  type ColorsQuery,
  CreateSpaceDocument,
  CreateTagDocument,
  SpacesNamedDocument,
  TagsNamedDocument,
} from '../generated/documents.ts';
import { foldName } from '../words/format.ts';
import { announceKinds } from './bus.ts';
import type { FieldErrors, LinkFields } from './link-fields.ts';
import { readNow } from './read.ts';
import { type Refusal, refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly color: number;
}

/** The names of the spaces and tags that were made in this tab, by their kinds and ids. */
const madeHere = new Map<string, string>();

/** The names of spaces and tags that were made in this tab for a link, and that it has no more. */
export const madeFor = (before: LinkFields, now: LinkFields): string[] => [
  ...(before.spaceId === now.spaceId ? [] : [before.spaceId]).flatMap(
    (id) => madeHere.get(`SPACE ${id}`) ?? [],
  ),
  ...before.tagIds.filter((id) => !now.tagIds.includes(id)).flatMap((id) => madeHere.get(`TAG ${id}`) ?? []),
];

let last: Promise<unknown> = Promise.resolve();

export const colors = [1, 2, 3, 4, 5, 6] as const;

/** The first of the colours that are used least, so that new spaces and tags differ. */
export function nextColor(kind: 'SPACE' | 'TAG', used: ColorsQuery | undefined): number {
  const { nodes = [] } = used?.[kind === 'TAG' ? 'tags' : 'spaces'] ?? {};
  const countUses = (color: number) => nodes.filter((one) => one.color === color).length;
  return colors.reduce<number>((least, one) => (countUses(one) < countUses(least) ? one : least), 1);
}

/** Finds the record with a name among similar names, or makes it. */
async function findOrMake(session: Session, kind: 'SPACE' | 'TAG', name: string): Promise<Named | Refusal> {
  const { client } = session;
  const isSpace = kind === 'SPACE';
  const { data: found } = isSpace
    ? await readNow(client, SpacesNamedDocument, { search: name })
    : await readNow(client, TagsNamedDocument, { search: name });
  const similar = found && ('spaces' in found ? found.spaces : found.tags).nodes;
  const there = similar?.find((one) => foldName(one.name) === foldName(name));
  if (there) return there;
  const { data: used } = await readNow(client, ColorsDocument, {});
  const input = { name, color: nextColor(kind, used) };
  const made = isSpace
    ? (await write(session, CreateSpaceDocument, { input })).createSpace
    : (await write(session, CreateTagDocument, { input })).createTag;
  if ('id' in made) madeHere.set(`${kind} ${made.id}`, made.name);
  announceKinds(kind);
  return made;
}

/** The record with this name, which is made if there is none. */
function named(...record: Parameters<typeof findOrMake>): Promise<Named | Refusal> {
  const made = findOrMake(...record);
  last = Promise.allSettled([last, made]);
  return made;
}

/** The space with this name, which is made if there is none. */
export const spaceNamed = (session: Session, name: string): Promise<Named | Refusal> =>
  named(session, 'SPACE', name);

/** The tag with this name, which is made if there is none. */
export const tagNamed = (session: Session, name: string): Promise<Named | Refusal> =>
  named(session, 'TAG', name);

/** Resolves when the spaces and tags that are being made are in the form, which is not sent before. */
export async function namedAreThere(): Promise<void> {
  await last;
  await new Promise((done) => setTimeout(done));
}

/** True if a space or a tag is typed and not chosen. */
export const hasTyped = ({ spaceTyped, tagTyped }: LinkFields): boolean =>
  spaceTyped !== '' || tagTyped !== '';

/** Makes the space and the tag that are typed in a form; returns their ids and their errors. */
export async function typedIn(
  session: Session,
  { spaceTyped, tagTyped, tagIds }: LinkFields,
): Promise<{ patch: Partial<LinkFields>; errors: FieldErrors }> {
  const space = spaceTyped === '' ? null : await spaceNamed(session, spaceTyped.trim());
  const tag = tagTyped === '' ? null : await tagNamed(session, tagTyped.trim());
  return {
    patch: {
      ...(space && 'id' in space && { spaceId: space.id, spaceTyped: '' }),
      ...(tag && 'id' in tag && { tagIds: [...new Set([...tagIds, tag.id])], tagTyped: '' }),
    },
    errors: {
      ...(space && !('id' in space) && { spaceId: refusalText(space) }),
      ...(tag && !('id' in tag) && { tagIds: refusalText(tag) }),
    },
  };
}
