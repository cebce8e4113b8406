import { type ReactElement, useId } from 'react';
import type { Option } from '../../../controls/select.tsx';
import { ErrorNote } from '../../../parts/field.tsx';

interface ChecksProps {
  readonly label: string;
  readonly options: readonly Option<string>[];
  readonly chosen: readonly string[];
  onChosen(chosen: readonly string[]): void;
  readonly error: string | undefined;
}

/** A choice of any of a few. */
export function Checks({ label, options, chosen, onChosen, error }: ChecksProps): ReactElement {
  const note = useId();
  return (
    <fieldset className={error === undefined ? 'checks' : 'checks wrong'} aria-label={label}>
      <legend>{label}</legend>
      {options.map(({ value, text }) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            aria-invalid={error === undefined ? undefined : true}
            aria-describedby={error === undefined ? undefined : note}
            onChange={({ target }) =>
              onChosen(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span>{text}</span>
        </label>
      ))}
      <ErrorNote id={note} error={error} />
    </fieldset>
  );
}
