import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong, in the words of the API. */
  readonly error?: string | undefined;
}

interface Parts {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A label, what is entered, a hint and an error. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & { children: (parts: Parts) => ReactNode }): ReactElement {
  const id = useId();
  const note = `${id}-note`;
  const hasNote = error !== undefined || hint !== undefined;
  return (
    <div className={error === undefined ? 'field' : 'field wrong'}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(hasNote && { 'aria-describedby': note }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {hasNote && (
        <p id={note} className={error === undefined ? 'hint' : 'error'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  onText,
  ...input
}: FieldProps & { onText: (text: string) => void } & Omit<
    ComponentProps<'input'>,
    'onChange'
  >): ReactElement {
  return (
    <Field label={label} hint={hint} error={error}>
      {(parts) => (
        <input
          type="text"
          autoComplete="off"
          {...input}
          {...parts}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly text: string;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  value,
  options,
  onValue,
  disabled = false,
}: FieldProps & {
  value: Value;
  options: readonly Option<Value>[];
  onValue: (value: Value) => void;
  disabled?: boolean;
}): ReactElement {
  return (
    <Field label={label} hint={hint} error={error}>
      {(parts) => (
        <select
          {...parts}
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const chosen = options.find((one) => one.value === event.target.value);
            if (chosen) onValue(chosen.value);
          }}
        >
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  checked,
  onChecked,
  hint,
}: {
  label: string;
  checked: boolean;
  onChecked: (checked: boolean) => void;
  hint?: string;
}): ReactElement {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.target.checked)} />
      <span>
        {label}
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </label>
  );
}
