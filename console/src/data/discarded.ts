import { useEffect, useEffectEvent } from 'react';
import { texts } from '../texts.ts';
import { UNDO_FOR } from './actions.ts';
import type { LinkFields } from './link-fields.ts';
import { dismissAbout, showToast } from './toasts.ts';

type Typed = Partial<LinkFields>;

/** The forms in sight, by the names of their drafts. */
const forms = new Map<string, (typed: Typed) => void>();

/** Lets a form take back what was discarded in it. */
export function useTakenBack(name: string, take: (typed: Typed) => void): void {
  const act = useEffectEvent(take);
  useEffect(() => {
    const own = (typed: Typed) => act(typed);
    forms.set(name, own);
    return () => {
      if (forms.get(name) === own) forms.delete(name);
    };
  }, [name]);
}

const aboutDiscarded = (name: string): string => `discarded ${name}`;

/** Offers back no longer what was discarded before something else was saved. */
export const forgetDiscarded = (name: string): void => dismissAbout(aboutDiscarded(name));

interface Discarded {
  /** The name of the draft. */
  readonly name: string;
  readonly typed: Typed;
  readonly told: string;
  /** Keeps the draft, where its form is not in sight any more. */
  keep(): void;
  /** Leads to the form. */
  open(): unknown;
}

/** Says that something was discarded, and offers it back. */
export function offerBack({ name, typed, told, keep, open }: Discarded): void {
  const run = () => {
    const take = forms.get(name);
    if (take) take(typed);
    else keep();
    open();
  };
  showToast(told, { about: aboutDiscarded(name), shownFor: UNDO_FOR, action: { name: texts.undo, run } });
}
