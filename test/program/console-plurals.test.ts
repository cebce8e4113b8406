import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { texts as german } from '../../console/src/languages/de.ts';
import { texts as english } from '../../console/src/languages/en.ts';
import { texts as spanish } from '../../console/src/languages/es.ts';
import { texts as french } from '../../console/src/languages/fr.ts';
import { countingIn } from '../../console/src/words/plural.ts';

describe('numbers with what they count', () => {
  test.each([
    ['en', 0, '0 links'],
    ['en', 1, '1 link'],
    ['en', 2, '2 links'],
    ['de', 1, '1 link'],
    ['fr', 0, '0 link'],
    ['fr', 1, '1 link'],
    ['fr', 2, '2 links'],
    ['es', 0, '0 links'],
  ] as const)('in %s of %i are “%s”', (language, count, text) => {
    expect(countingIn(language).counted(count, 'link', 'links')).toBe(text);
  });

  test.each(['fr', 'es'] as const)('in %s have another word behind millions', (language) => {
    const { unit, plural } = countingIn(language, (several) => `de ${several}`);
    expect([999_999, 1_000_000].map((count) => unit(count, 'clic', 'clics'))).toEqual(['clics', 'de clics']);
    expect(plural(1_000_000, 'clic', 'clics')).toBe('clics');
  });

  test.each([
    [english.links.limit(1, true), 'Limit reached: 1 click'],
    [english.links.limit(2, false), 'Limit: 2 clicks'],
    [english.form.afterClicks(1), 'after 1 click'],
    [english.explain.why.reached(1), 'It has reached its limit of 1 click.'],
    [english.spaces.clicks(1), '1 click in 30 days'],
    [english.many.create(1), 'Create 1 link'],
    [german.links.limit(1, false), 'Limit: 1 Klick'],
    [german.form.afterClicks(1), 'nach 1 Klick'],
    [german.many.wrong(1), '1 Zeile ist falsch: Korrigieren Sie sie hier, oder lassen Sie sie weg.'],
    [french.many.create(1), 'Créer 1 lien'],
    [french.links.clicksUnit(0), 'clic'],
    [french.links.clicksUnit(1_200_000), 'de clics'],
    [spanish.links.clicksUnit(0), 'clics'],
    [spanish.form.afterClicks(1), 'tras 1 clic'],
  ])('reads “%s”', (text, expected) => {
    expect(text).toBe(expected);
  });

  test('have no rule of their own in the texts of the console', () => {
    const folder = 'console/src/languages';
    const own = readdirSync(folder).flatMap((name) =>
      readFileSync(`${folder}/${name}`, 'utf8')
        .split('\n')
        .filter((line) => /=== '?1'?\b|PluralRules|>= 1_000_000/.test(line)),
    );
    expect(own).toEqual([]);
  });
});
