import { useState } from 'react';
import type { FieldErrors } from '../data/link-fields.ts';

/** The props of a field that ties it to a text of a form. */
interface Tied {
  readonly value: string;
  readonly error: string | undefined;
  onText(text: string): void;
}

/** Ties fields to texts. An error may have another path than the name of its text. */
export const tiedTo =
  <Name extends string>(
    texts: Readonly<Record<Name, string>>,
    onTexts: (patch: Readonly<Record<string, string>>) => void,
  ) =>
  (name: Name, errors: FieldErrors = {}, path: string = name): Tied => ({
    ...{ value: texts[name], error: errors[path], onText: (text) => onTexts({ [name]: text }) },
  });

/** The texts that are typed in a form, and what ties a field to one of them. */
export function useTexts<Name extends string>(first: Readonly<Record<Name, string>>) {
  const [texts, setTexts] = useState(first);
  return [texts, tiedTo(texts, (patch) => setTexts((before) => ({ ...before, ...patch })))] as const;
}
