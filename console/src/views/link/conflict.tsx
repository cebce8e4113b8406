import type { ReactElement } from 'react';
import { useChangeOfLink } from '../../data/changes.ts';
import { changedFields, type Editing, fieldsInConflict } from '../../data/edit-state.ts';
import { fieldsOf, filledTargets, type LinkFields } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { targetChoices } from '../../data/target-choices.ts';
import { ChoicesDocument, type LinkWholeFragment, TagChoicesDocument } from '../../generated/documents.ts';
import { byWhom } from '../../parts/changes.tsx';
import { atMoment } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

const names = [
  ...(['url', 'title', 'alias', 'spaceId', 'expiresAt', 'expiresAfter', 'expiredUrl'] as const),
  ...(['targetType', 'targets', 'pixelIds', 'tagIds', 'privacy', 'forwardsQuery'] as const),
];

/** The names of spaces, pixels and tags, by their ids. */
type Known = Readonly<Record<'spaces' | 'pixels' | 'tags', ReadonlyMap<string, string>>>;

function targetsShown({ targetType: type, targets }: LinkFields): string {
  if (type === 'NONE') return '';
  const nameOf = (key: string) => targetChoices(type).find(({ id }) => id === key)?.name ?? key;
  return filledTargets(targets[type])
    .map(({ key, url, typed }) => (type === 'ROTATION' ? url : `${typed || nameOf(key)}: ${url}`))
    .join('\n');
}

function shown(fields: LinkFields, name: (typeof names)[number], { spaces, pixels, tags }: Known): string {
  const t = texts.form;
  if (name === 'targetType') return t.targetTypes[fields[name]];
  if (name === 'privacy') return t.privacies[fields[name]];
  if (name === 'forwardsQuery') return fields[name] ? t.yes : t.no;
  if (name === 'targets') return targetsShown(fields);
  if (name === 'pixelIds') return fields[name].map((id) => pixels.get(id) ?? t.unknownPixel).join(', ');
  if (name === 'tagIds') return fields[name].map((id) => tags.get(id) ?? texts.tags.unknown).join(', ');
  if (name === 'spaceId') return fields[name] && (spaces.get(fields[name]) ?? t.unknownSpace);
  return name === 'expiresAt' && fields[name] ? atMoment(fields[name]) : fields[name];
}

/** Who changed what meanwhile, where that is no conflict. */
export function Meanwhile({
  link,
  names: changed,
  since,
}: {
  link: LinkWholeFragment;
  names: readonly string[];
  since: string;
}): ReactElement {
  const session = useSession();
  const change = useChangeOfLink(link.id, since);
  const what = names.filter((name) => changed.includes(name)).map((name) => texts.link.names[name]);
  return (
    <p className="notice" role="status">
      {texts.link.meanwhile(change ? byWhom(change, session) : '', [...new Set(what)].join(', '))}
    </p>
  );
}

/** What somebody else changed meanwhile, and both ways on. */
export function Conflict({
  mine: { fields: mine, read, updatedAt },
  theirs: link,
  onMine,
  onTheirs,
}: {
  mine: Editing;
  theirs: LinkWholeFragment;
  onMine: () => void;
  onTheirs: () => void;
}): ReactElement {
  const session = useSession();
  const { data } = useRead(ChoicesDocument, {});
  const change = useChangeOfLink(link.id, updatedAt);
  const tags = useRead(TagChoicesDocument, {}).data?.tags.nodes ?? [];
  const namesOf = (records: readonly { id: string; name: string }[]) =>
    new Map(records.map(({ id, name }) => [id, name]));
  const known: Known = {
    spaces: namesOf([...(link.space ? [link.space] : []), ...(data?.spaces.nodes ?? [])]),
    tags: namesOf([...link.tags, ...tags]),
    pixels: namesOf([...link.pixels, ...(data?.pixels.nodes ?? [])]),
  };
  const theirs = fieldsOf(link);
  const own = changedFields(mine, read);
  const inConflict = fieldsInConflict(theirs, mine, read);
  const rows = names.filter((name) => inConflict.includes(name));
  const t = texts.link;
  return (
    <section className="card conflict" role="alert" aria-label={t.conflict}>
      <h2>{change ? t.conflictBy(byWhom(change, session)) : t.conflict}</h2>
      <p>{rows.length > 0 ? t.conflictWhy : t.conflictUnshown}</p>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.field}</th>
              <th scope="col">{change?.by?.name || t.theirs}</th>
              <th scope="col">{t.yours}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((name) => (
              <tr key={name}>
                <th scope="row">{t.names[name]}</th>
                <td>{shown(theirs, name, known) || t.nothing}</td>
                <td>{name in own ? shown(mine, name, known) || t.nothing : t.unchanged}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="buttons">
        <button type="button" className="button" onClick={onMine}>
          {t.keepMine}
        </button>
        <button type="button" className="button quiet" onClick={onTheirs}>
          {t.takeTheirs}
        </button>
      </div>
    </section>
  );
}
