import type { ReactElement } from 'react';
import { changedFields } from '../../data/edit-state.ts';
import { toLinkFields } from '../../data/link-fields.ts';
import { savedAs } from '../../data/memory.ts';
import { useSession } from '../../data/session.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { Changes } from '../../parts/changes.tsx';
import { texts } from '../../texts.ts';
import { Differences } from './saves.tsx';
import { againIn, differences, useShown } from './shown-fields.ts';

/** The changes of a link; those that this browser knows have their values, and can be taken back. */
export function History({ link, edit }: { link: LinkWholeFragment; edit: EditState }): ReactElement {
  const { canWrite } = useSession();
  const shown = useShown(link);
  const now = toLinkFields(link);
  return (
    <>
      <Changes
        kind="LINK"
        recordId={link.id}
        more={(change) => {
          const saved = savedAs(change, edit.saves);
          if (!saved) return null;
          const names = Object.keys(changedFields(saved.after, saved.before));
          const canUndo = canWrite && differences(shown, now, saved.before, names).length > 0;
          return (
            <>
              <Differences all={differences(shown, saved.before, saved.after)} />
              {canUndo && (
                <button
                  type="button"
                  className="button text small"
                  // A field may have changed again since.
                  onClick={() => edit.undo({ ...saved, after: now }, againIn(shown), names)}
                >
                  {texts.link.takeBack}
                </button>
              )}
            </>
          );
        }}
      />
      <p className="hint">{texts.history.remembered}</p>
    </>
  );
}
