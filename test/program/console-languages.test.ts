import { describe, expect, test } from 'vitest';
import { texts as german } from '../../console/src/languages/de.ts';
import { moreTexts as germanMore } from '../../console/src/languages/de-more.ts';
import { operationTexts as germanOperations } from '../../console/src/languages/de-operations.ts';
import { ruleTexts as germanRules } from '../../console/src/languages/de-rules.ts';
import { settingsTexts as germanSettings } from '../../console/src/languages/de-settings.ts';
import { texts as spanish } from '../../console/src/languages/es.ts';
import { moreTexts as spanishMore } from '../../console/src/languages/es-more.ts';
import { operationTexts as spanishOperations } from '../../console/src/languages/es-operations.ts';
import { ruleTexts as spanishRules } from '../../console/src/languages/es-rules.ts';
import { settingsTexts as spanishSettings } from '../../console/src/languages/es-settings.ts';
import { texts as french } from '../../console/src/languages/fr.ts';
import { moreTexts as frenchMore } from '../../console/src/languages/fr-more.ts';
import { operationTexts as frenchOperations } from '../../console/src/languages/fr-operations.ts';
import { ruleTexts as frenchRules } from '../../console/src/languages/fr-rules.ts';
import { settingsTexts as frenchSettings } from '../../console/src/languages/fr-settings.ts';
import { composeMail } from '../../src/domain/access/mails.ts';
import { rules } from '../../src/domain/rules.ts';
import { errorCodes } from '../../src/engine/rules/errors.ts';
import { es as spanishPages } from '../../src/redirect/translations/es.ts';
import { fr as frenchPages } from '../../src/redirect/translations/fr.ts';

const english: Readonly<Record<string, string>> = { ...errorCodes, ...rules };
const namesIn = (words: string) => [...words.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);

/** Every text below, by its path; functions get texts, which also stand for numbers, or a list. */
function textsIn(value: unknown, path: string): [path: string, text: unknown][] {
  if (typeof value === 'function')
    return [
      [
        path,
        value(path.endsWith('undoneBut') ? ['2'] : '2', path.endsWith('tagged') ? ['2'] : '2', '2', '2'),
      ],
    ];
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, below]) => textsIn(below, `${path}.${name}`));
}

describe.each([
  ['German', german, [germanRules, germanOperations, germanSettings, germanMore]],
  ['French', french, [frenchRules, frenchOperations, frenchSettings, frenchMore]],
  ['Spanish', spanish, [spanishRules, spanishOperations, spanishSettings, spanishMore]],
])('the console in %s', (_, texts, later) => {
  test('words each rule, with names of its values only', () => {
    const worded: Readonly<Record<string, string>> = texts.rules ?? {};
    expect(Object.keys(worded).sort()).toEqual(Object.keys(english).sort());
    for (const [rule, words] of Object.entries(worded))
      expect(namesIn(english[rule] ?? ''), rule).toEqual(expect.arrayContaining(namesIn(words)));
  });

  test('has a text in each place', () => {
    const empty = textsIn(texts, '').filter(([, text]) => typeof text !== 'string' || text === '');
    expect(empty.map(([path]) => path)).toEqual(['.form.keys.ROTATION']);
    const emptyLater = textsIn(later, '').filter(([, text]) => typeof text !== 'string' || text === '');
    expect(emptyLater).toEqual([]);
  });
});

const mailsIn = (language: string) =>
  (['invitation', 'reset', 'confirmation', 'changed'] as const).map((kind) =>
    composeMail(kind, language, { to: '', url: '', account: 'A', inviter: 'B' }),
  );

/** All texts of a language, by their paths. */
const allIn = (...given: unknown[]): [string, string][] =>
  textsIn(given, '').map(([path, text]) => [path, String(text)]);

describe('the signs of sentences', () => {
  test('stand behind narrow no-break spaces in French', () => {
    const texts = allIn(
      ...[french, frenchRules, frenchOperations, frenchSettings, frenchMore, frenchPages, mailsIn('fr')],
    );
    const wrong = texts.filter(([, text]) => /[ \u00a0][;:?!»]|«[ \u00a0]|[\p{L}\d)][;?!»]|«\S/u.test(text));
    expect(wrong).toEqual([]);
  });

  test('open and close in Spanish', () => {
    const texts = allIn(
      ...[
        spanish,
        spanishRules,
        spanishOperations,
        spanishSettings,
        spanishMore,
        spanishPages,
        mailsIn('es'),
      ],
    );
    const count = (text: string, sign: string) => text.split(sign).length;
    const wrong = texts.filter(([path, text]) => {
      // The sign of a query, and a key.
      const said = text.replaceAll('«?»', '');
      const isKey = path.includes('.help.groups.');
      return !isKey && (count(said, '?') !== count(said, '¿') || count(said, '!') !== count(said, '¡'));
    });
    expect(wrong).toEqual([]);
  });

  test('address people formally in French and Spanish', () => {
    const familiar = (words: string) => new RegExp(`(?<!\\p{L})(${words})(?!\\p{L})`, 'iu');
    const inFrench = allIn(french, frenchRules, frenchOperations, frenchSettings, frenchMore, frenchPages);
    const inSpanish = allIn(
      spanish,
      spanishRules,
      spanishOperations,
      spanishSettings,
      spanishMore,
      spanishPages,
    );
    expect(inFrench.filter(([, text]) => familiar('tu|toi|tes|ton|ta').test(text))).toEqual([]);
    const spanishWords = 'tú|tus?|tuy[oa]s?|te|ti|puedes|quieres|tienes|elige|haz';
    expect(inSpanish.filter(([, text]) => familiar(spanishWords).test(text))).toEqual([]);
  });
});
