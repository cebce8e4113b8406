import { type ReactElement, type ReactNode, useState } from 'react';
import { texts } from '../texts.ts';
import { withoutScheme } from '../words/format.ts';
import { Icon } from './icon.tsx';

/** Copies a text. Over plain HTTP there is no `navigator.clipboard`, but selected text can be copied. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The page may not: the other way may still work.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  // A dialog that is open makes everything outside it inert.
  const home = document.querySelector('dialog[open]') ?? document.body;
  const focused = document.activeElement;
  home.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly wide?: boolean;
  /** True where it is what people do next. */
  readonly primary?: boolean;
  /** True above a list, as plain as other actions there. */
  readonly small?: boolean;
  /** True if the copied text stands alone beside it: the button's name does not repeat it. */
  readonly alone?: boolean;
  /** True if a menu beside it has this action, where Tab stops. */
  readonly inMenu?: boolean;
}

/** A button that copies, and says so for a moment. */
export function CopyButton(props: CopyButtonProps): ReactElement {
  const { text, label = texts.copy, wide = false, small = false, alone = false, inMenu = false } = props;
  const look = props.primary ? 'button' : 'button quiet';
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <button
      type="button"
      className={small ? 'button text small' : wide ? look : 'bare copy'}
      aria-label={wide || alone ? label : texts.labelled(label, withoutScheme(text))}
      tabIndex={inMenu ? -1 : undefined}
      data-tip={label}
      onClick={copy}
    >
      <Icon name={done ? 'check' : 'copy'} />
      {wide && <span aria-live="polite">{done ? texts.copied : label}</span>}
      {!wide && done && (
        <span className="unseen" role="status">
          {texts.copied}
        </span>
      )}
    </button>
  );
}

/**
 * A text in a box with a button that copies it.
 * @param children the text, if parts of it stay on one line
 */
export function CopyBox({ text, children = text }: { text: string; children?: ReactNode }): ReactElement {
  return (
    <div className="copy-box">
      <pre>
        <code>{children}</code>
      </pre>
      <CopyButton text={text} alone />
    </div>
  );
}
