import type { ComponentProps, ReactElement } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly text: string;
  /** Its looks, as classes: `quiet`, `text`, `danger` and `small`; none for the main action. */
  readonly look?: string | undefined;
  /** An icon before its text. */
  readonly icon?: IconName | undefined;
}

/** A button with a text. */
export function Button({ text, look, icon, ...button }: ButtonProps): ReactElement {
  return (
    <button type="button" {...button} className={look ? `button ${look}` : 'button'}>
      {icon && <Icon name={icon} />}
      {text}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName;
  /** The name, which is its tooltip, too. */
  readonly name: string;
  /** A class of its own. */
  readonly look?: string | undefined;
}

/** A button with an icon alone. */
export function IconButton({ icon, name, look, ...button }: IconButtonProps): ReactElement {
  return (
    <button type="button" aria-label={name} {...button} className={look ? `bare ${look}` : 'bare'}>
      <Icon name={icon} />
    </button>
  );
}
