import type { ReactElement } from 'react';
import { Link as To } from 'wouter';
import { openSaves, type Saved } from '../../data/edit-state.ts';
import { fieldsOf } from '../../data/link-fields.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { Changes } from '../../parts/changes.tsx';
import { texts } from '../../texts.ts';
import { Differences } from './saves.tsx';
import { differences, useShown } from './shown-fields.ts';

/** The changes of a link, with the values of those that were saved in this browser. */
export function History({
  link,
  saves,
  details,
}: {
  link: LinkWholeFragment;
  saves: readonly Saved[];
  /** Where they can be undone. */
  details: string;
}): ReactElement {
  const shown = useShown(link);
  const canUndo = openSaves(saves, fieldsOf(link)).some(({ names }) => names.length > 0);
  return (
    <>
      <Changes
        kind="LINK"
        recordId={link.id}
        more={({ at }) => {
          const saved = saves.find((one) => one.at === at);
          return saved && <Differences all={differences(shown, saved.before, saved.after)} />;
        }}
      />
      {canUndo && (
        <p className="hint">
          <To href={details}>{texts.history.ownSaves}</To>
        </p>
      )}
    </>
  );
}
