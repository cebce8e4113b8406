import { type ReactElement, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { shortcuts } from './shortcuts.ts';

/** The sheet with all shortcuts. */
export function Help({ onClose }: { onClose: () => void }): ReactElement {
  const [areOn, setOn] = useState(shortcuts.areOn());
  return (
    <Dialog title={texts.help.title} onClose={onClose}>
      <dl className="keys">
        {texts.help.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
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
