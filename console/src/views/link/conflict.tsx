import type { ReactElement } from 'react';
import { changedFields } from '../../data/edit-state.ts';
import { fieldsOf, type LinkFields } from '../../data/link-fields.ts';
import { useRead } from '../../data/read.ts';
import { ChoicesDocument, type LinkWholeFragment } from '../../generated/documents.ts';
import { atMoment } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

const names: readonly (keyof LinkFields)[] = [
  ...(['url', 'title', 'alias', 'spaceId', 'expiresAt', 'expiresAfter', 'expiredUrl'] as const),
  ...(['targetType', 'targets', 'pixelIds', 'privacy'] as const),
];

function shown(
  fields: Partial<LinkFields>,
  name: keyof LinkFields,
  spaces: ReadonlyMap<string, string>,
): string {
  const value = fields[name];
  if (name === 'targetType' || name === 'privacy') {
    const words: Readonly<Partial<Record<string, string>>> = {
      ...texts.form.targetTypes,
      ...texts.form.privacies,
    };
    return words[String(value)] ?? String(value);
  }
  if (typeof value !== 'string') return texts.link.otherList;
  if (value === '') return texts.link.nothing;
  if (name === 'spaceId') return spaces.get(value) ?? texts.form.unknownSpace;
  return name === 'expiresAt' ? atMoment(value) : value;
}

/** What somebody else changed meanwhile, and both ways on. */
export function Conflict({
  read,
  mine,
  theirs: link,
  onMine,
  onTheirs,
}: {
  read: LinkFields;
  mine: LinkFields;
  theirs: LinkWholeFragment;
  onMine: () => void;
  onTheirs: () => void;
}): ReactElement {
  const { data } = useRead(ChoicesDocument, {});
  const spaces = new Map(
    [...(link.space ? [link.space] : []), ...(data?.spaces.nodes ?? [])].map(({ id, name }) => [id, name]),
  );
  const theirs = fieldsOf(link);
  const changed = changedFields(theirs, read);
  const own = changedFields(mine, read);
  const t = texts.link;
  return (
    <section className="card conflict" role="alert" aria-label={t.conflict}>
      <h2>{t.conflict}</h2>
      <p>{t.conflictWhy}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.theirs}</th>
            <th scope="col">{t.yours}</th>
          </tr>
        </thead>
        <tbody>
          {names
            .filter((name) => name in changed)
            .map((name) => (
              <tr key={name}>
                <th scope="row">{t.names[name]}</th>
                <td>{shown(theirs, name, spaces)}</td>
                <td>{name in own ? shown(mine, name, spaces) : t.unchanged}</td>
              </tr>
            ))}
        </tbody>
      </table>
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
