import { type ReactElement, useId } from 'react';
import { Select } from '../controls/select.tsx';
import { chooseLanguage, language, languages } from '../language.ts';
import { texts } from '../texts.ts';

/** Chooses the language of the console in this browser. */
export function LanguageChoice(): ReactElement {
  const id = useId();
  return (
    <p className="language">
      <label htmlFor={id}>{texts.language}</label>
      <Select
        id={id}
        value={language}
        options={Object.entries(languages).map(([value, text]) => ({ value, text, lang: value }))}
        onValue={chooseLanguage}
      />
    </p>
  );
}
