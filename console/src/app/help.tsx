import { type ReactElement, useState } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import { useSession } from '../data/session.ts';
import { CheckField } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { shortcuts, shownFindKey } from './shortcuts.ts';

/** The keys for those who may change links. */
const changing: readonly string[] = ['n', 'z', 'e', 'd', 'x', '⇧ ↑ ↓', 'a'];

/** The sheet with all shortcuts. */
export function Help({ onClose }: { onClose: () => void }): ReactElement {
  const { canWrite } = useSession();
  const [areOn, setOn] = useState(shortcuts.areOn());
  return (
    <Dialog title={texts.help.title} onClose={onClose}>
      {texts.help.groups.map(({ where, keys }, at) => (
        <section key={where} aria-label={where}>
          <h3>{where}</h3>
          <dl className="keys">
            {[...(at === 0 ? [[shownFindKey, texts.places.find] as const] : []), ...keys]
              .filter(([key]) => canWrite || !changing.includes(key))
              .map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <CheckField
        label={texts.help.on}
        checked={areOn}
        onChecked={(on) => {
          shortcuts.set(on);
          setOn(on);
        }}
      />
    </Dialog>
  );
}
