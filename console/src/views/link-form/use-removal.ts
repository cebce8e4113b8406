import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { focusSoon } from '../../app/focus.ts';
import { UNDO_FOR } from '../../data/actions.ts';
import type { FormProps, LinkFields } from '../../data/link-fields.ts';
import { dismissAbout, showToast } from '../../data/toasts.ts';
import { texts } from '../../texts.ts';

const ABOUT = 'removed part';

/**
 * Says that a part of a form was removed, and offers it back.
 * @param back what then changes in the form
 * @param focus the selector of the part
 */
export type OfferBack = (told: string, back: (now: LinkFields) => Partial<LinkFields>, focus: string) => void;

/** Offers removed parts of a form back, until the form is left or its link changes. */
export function useRemoval(
  form: Pick<FormProps, 'fields' | 'onChange'>,
  version: string | undefined,
): OfferBack {
  const latest = useRef(form);
  latest.current = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another version, which it does not read
  useEffect(() => () => dismissAbout(ABOUT), [version]);
  return (told, back, focus) => {
    const run = () => {
      flushSync(() => latest.current.onChange(back(latest.current.fields)));
      focusSoon(focus);
    };
    showToast(told, { about: ABOUT, shownFor: UNDO_FOR, action: { name: texts.undo, run } });
  };
}

/** A list with a removed entry again: as it was before, if nothing else has changed since. */
export function withEntry<Entry>(
  now: readonly Entry[],
  [before, after]: readonly [before: readonly Entry[], after: readonly Entry[]],
  index: number,
  idOf: (entry: Entry) => string,
): readonly Entry[] {
  const entry = before[index];
  if (now === after) return before;
  const isThere = entry === undefined || now.some((one) => idOf(one) === idOf(entry));
  return isThere ? now : now.toSpliced(index, 0, entry);
}
