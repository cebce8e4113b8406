import type { ReactElement } from 'react';
import { IconButton } from '../../controls/button.tsx';
import { FilterSelect } from '../../controls/select.tsx';
import { useRead } from '../../data/read.ts';
import { TagChoicesDocument, TagDocument, type TagNameFragment } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { type LinksState, tagModes } from './links-state.ts';

interface FilterProps {
  readonly state: LinksState;
  set(patch: Partial<LinksState>): void;
}

const useTags = (): readonly TagNameFragment[] =>
  useRead(TagChoicesDocument, {}, { on: ['TAG'] }).data?.tags.nodes ?? [];

/** A choice of another tag, which adds it to the filter. */
export function TagFilter({ state: { tags: chosen }, set }: FilterProps): ReactElement | null {
  const tags = useTags();
  if (tags.length === 0 && chosen.length === 0) return null;
  const t = texts.tags;
  return (
    <FilterSelect
      label={t.filter}
      value=""
      options={[
        { value: '', text: chosen.length === 0 ? t.anyTag : t.another },
        ...tags.filter(({ id }) => !chosen.includes(id)).map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onValue={(value) => set({ tags: [...chosen, value] })}
    />
  );
}

/** The tags of the filter, and whether links have one of them, all or none. */
export function ChosenTags({ state: { tags: chosen, tagMode }, set }: FilterProps): ReactElement | null {
  const tags = useTags();
  if (chosen.length === 0) return null;
  const t = texts.tags;
  return (
    <>
      <FilterSelect
        label={t.mode}
        isSet={tagMode !== 'any'}
        value={tagMode}
        options={tagModes.map((value) => ({ value, text: t.modes[value] }))}
        onValue={(mode) => set({ tagMode: mode })}
      />
      <ul className="chips" aria-label={t.chosen}>
        {chosen.map((id) => (
          <Chosen
            key={id}
            id={id}
            known={tags.find((one) => one.id === id)}
            onRemove={() => set({ tags: chosen.filter((one) => one !== id) })}
          />
        ))}
      </ul>
    </>
  );
}

interface ChosenProps {
  readonly id: string;
  readonly known: TagNameFragment | undefined;
  onRemove(): void;
}

function Chosen({ id, known, onRemove }: ChosenProps): ReactElement {
  // It may be beyond the first page.
  const { data } = useRead(TagDocument, { id }, { pause: known !== undefined });
  const tag = known ?? data?.tag;
  const name = tag?.name ?? (data ? texts.tags.unknown : '…');
  return (
    <li>
      <i className={`dot c${tag?.color ?? 0}`} />
      <bdi>{name}</bdi>
      <IconButton icon="close" name={texts.removeOf(name)} onClick={onRemove} />
    </li>
  );
}
