import { type ComponentProps, type ReactElement, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { texts } from '../texts.ts';

/** A place to choose a file, or to drop one. The browser's own input lies over it, out of sight. */
export function FilePicker({
  onFile,
  isEmpty = false,
  ...input
}: Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'onClick'> & {
  onFile: (file: File) => void;
  /** True if the chosen file is gone, such as a removed picture. */
  isEmpty?: boolean;
}): ReactElement {
  const [name, setName] = useState('');
  const t = texts.controls;
  return (
    <div className="file-picker">
      <Icon name="import" />
      {name === '' || isEmpty ? (
        <span>
          <b>{t.chooseFile}</b> <span className="quiet">{t.orDrop}</span>
        </span>
      ) : (
        <bdi className="cut">{name}</bdi>
      )}
      <input
        {...input}
        type="file"
        // A corrected file may be chosen again.
        onClick={(event) => {
          event.currentTarget.value = '';
        }}
        onChange={({ target }) => {
          const file = target.files?.[0];
          setName(file?.name ?? '');
          if (file) onFile(file);
        }}
      />
    </div>
  );
}
