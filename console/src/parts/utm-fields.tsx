import type { ReactElement } from 'react';
import { type Utm, type UtmName, utmNames } from '../data/utm.ts';
import { texts } from '../texts.ts';
import { type FieldProps, TextField } from './field.tsx';

interface UtmFieldsProps {
  readonly values: Utm;
  onValues(patch: Partial<Utm>): void;
  readonly errors?: Readonly<Partial<Record<string, string>>>;
  /** Peculiarities of a field. */
  readonly more?: (name: UtmName) => Partial<FieldProps> & { placeholder?: string; disabled?: boolean };
}

/** A field for each parameter of a campaign. */
export function UtmFields(props: UtmFieldsProps): ReactElement {
  const { values, onValues, errors = {}, more = () => ({}) } = props;
  const t = texts.utm;
  return (
    <div className="pair">
      {utmNames.map((name) => (
        <TextField
          key={name}
          label={t.names[name]}
          value={values[name]}
          onText={(text) => onValues({ [name]: text })}
          maxLength={255}
          spellCheck={false}
          autoCapitalize="off"
          hint={t.examples[name]}
          error={errors[name]}
          {...more(name)}
        />
      ))}
    </div>
  );
}
