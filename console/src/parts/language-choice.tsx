import { type ReactElement, useId } from 'react';
import { chooseLanguage, language, languages } from '../language.ts';
import { texts } from '../texts.ts';

/** Chooses the language of the console in this browser. */
export function LanguageChoice(): ReactElement {
  const id = useId();
  return (
    <p className="language">
      <label htmlFor={id}>{texts.language}</label>
      <select id={id} value={language} onChange={({ target }) => chooseLanguage(target.value)}>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </p>
  );
}
