import { type ComponentProps, type ReactElement, type ReactNode, useId, useState } from 'react';
import { IconButton } from '../controls/button.tsx';
import { Select, type SelectProps } from '../controls/select.tsx';
import { texts } from '../texts.ts';
import { isAddress } from '../words/format.ts';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** A warning about a consequence that may not be meant. */
  readonly warning?: string | null | undefined;
  /** The error. */
  readonly error?: string | undefined;
}

interface Parts {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A label, an input, and one note: an error, else a warning, else a hint. */
export function Field({
  label,
  hint,
  warning,
  error,
  children,
}: FieldProps & { children: (parts: Parts) => ReactNode }): ReactElement {
  const id = useId();
  const note = `${id}-note`;
  const told = error ?? warning ?? hint;
  const hasNote = told !== undefined;
  return (
    <div className={error === undefined ? 'field' : 'field wrong'}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(hasNote && { 'aria-describedby': note }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      <ErrorNote id={note} error={error} />
      {hasNote && error === undefined && (
        <p id={note} className={warning ? 'hint warning' : 'hint'}>
          {told}
        </p>
      )}
    </div>
  );
}

/** The error of a field. Its container is rendered before it, so that screen readers announce it. */
export function ErrorNote({ id, error }: { id: string; error: string | undefined }): ReactElement {
  return (
    <div className="spoken" aria-live="polite">
      {error !== undefined && (
        <p id={id} className="error">
          {error}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldProps & { onText: (text: string) => void } & Omit<
    ComponentProps<'input'>,
    'onChange'
  >;

export function TextField({ label, hint, warning, error, onText, ...input }: TextFieldProps): ReactElement {
  return (
    <Field label={label} hint={hint} warning={warning} error={error}>
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

type AreaFieldProps = FieldProps & { onText: (text: string) => void } & Omit<
    ComponentProps<'textarea'>,
    'onChange'
  >;

/** A text of several lines. */
export function AreaField({ label, hint, error, onText, ...area }: AreaFieldProps): ReactElement {
  return (
    <Field label={label} hint={hint} error={error}>
      {(parts) => <textarea {...area} {...parts} onChange={({ target }) => onText(target.value)} />}
    </Field>
  );
}

/** A field that is left is checked this much later, in milliseconds: nothing moves under a click. */
export const AFTER_CLICK = 300;

/** A URL; if it has no scheme, an error says so once the field is left. */
export function UrlField({ error, onText, ...props }: TextFieldProps & { value: string }): ReactElement {
  const [isLeft, setLeft] = useState(false);
  const own = isLeft && !isAddress(props.value) ? texts.form.noScheme : undefined;
  return (
    <TextField
      type="url"
      {...props}
      error={error ?? own}
      onText={(text) => {
        setLeft(false);
        onText(text);
      }}
      onBlur={() => setTimeout(() => setLeft(true), AFTER_CLICK)}
    />
  );
}

/** The name of a record, in a dialog that begins with it. */
export function NameField(props: TextFieldProps): ReactElement {
  return <TextField maxLength={255} autoFocus {...props} />;
}

/** A password, which can be shown. */
export function PasswordField({ label, hint, error, onText, ...input }: TextFieldProps): ReactElement {
  const [isShown, setShown] = useState(false);
  const name = isShown ? texts.hidePassword : texts.showPassword;
  return (
    <Field label={label} hint={hint} error={error}>
      {(parts) => (
        <div className="password">
          <input
            autoComplete="new-password"
            {...input}
            {...parts}
            type={isShown ? 'text' : 'password'}
            onChange={(event) => onText(event.target.value)}
          />
          <IconButton
            icon={isShown ? 'eyeOff' : 'eye'}
            name={name}
            disabled={input.disabled}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </Field>
  );
}

/** The email address that somebody signs in with. */
export function EmailField(props: Omit<TextFieldProps, 'label'>): ReactElement {
  return <TextField label={texts.signIn.email} type="email" autoComplete="username" required {...props} />;
}

/** Names the user for password managers. */
export function ForEmail({ email }: { email: string }): ReactElement {
  return (
    <input className="unseen" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
  );
}

/** A password that somebody chooses. */
export function NewPasswordField(props: Omit<TextFieldProps, 'label'> & { label?: string }): ReactElement {
  return (
    <PasswordField
      label={texts.entrances.newPassword}
      hint={texts.entrances.passwordHint}
      required
      {...props}
    />
  );
}

/** The current password of a user. */
export function OwnPasswordField(props: Omit<TextFieldProps, 'label'>): ReactElement {
  return <PasswordField label={texts.signIn.password} autoComplete="current-password" required {...props} />;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  ...select
}: FieldProps & SelectProps<Value>): ReactElement {
  return (
    <Field label={label} hint={hint} error={error}>
      {(parts) => <Select {...parts} {...select} />}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  onChecked(checked: boolean): void;
  readonly hint?: string;
}

export function CheckField({ label, checked, onChecked, hint }: CheckFieldProps): ReactElement {
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
