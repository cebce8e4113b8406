import type { ReactElement } from 'react';
import { type Utm, type UtmName, utmNames } from '../data/utm.ts';
import { texts } from '../texts.ts';
import { type FieldProps, TextField } from './field.tsx';

/** A field for each parameter of a campaign. */
export function UtmFields({
  values,
  onValues,
  errors = {},
  more = () => ({}),
}: {
  values: Utm;
  onValues: (patch: Partial<Utm>) => void;
  errors?: Readonly<Partial<Record<string, string>>>;
  /** Peculiarities of a field. */
  more?: (name: UtmName) => Partial<FieldProps> & { placeholder?: string; disabled?: boolean };
}): ReactElement {
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
