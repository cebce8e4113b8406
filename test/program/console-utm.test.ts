import { describe, expect, test } from 'vitest';
import {
  changedInput,
  emptyFields,
  type LinkFields,
  newLinkInput,
  newLinkInputs,
} from '../../console/src/data/link-fields.ts';
import { filledUtm, missingIn, noUtm, toSlug, type Utm, utmIn, withUtm } from '../../console/src/data/utm.ts';
import { utmChanges } from '../../console/src/data/utm-changes.ts';
import { parseColor, qrFileName, wrongColors } from '../../console/src/parts/qr-image.ts';

const url = 'https://example.com/';

describe('the parameters of campaigns in the console', () => {
  test.each<[url: string, found: Partial<Utm>]>([
    [url, {}],
    [`${url}?utm_source=a+b%20c&x=1`, { source: 'a b c' }],
    [`${url}?utm%5Fmedium=mail&utm_medium=second`, { medium: 'mail' }],
    [`${url}?UTM_SOURCE=other&??utm_term=x#?utm_content=y`, {}],
    [`${url}?utm_campaign&utm_term==`, { term: '=' }],
    [`${url}?utm_content=%E4%BD%A0%ff`, { content: '你\ufffd' }],
  ])('are read from %s', (from, found) => {
    expect(utmIn(from)).toEqual({ ...noUtm, ...found });
  });

  test.each<[url: string, values: Partial<Utm>, changed: string]>([
    ['https://e.com', { source: 'mail' }, 'https://e.com?utm_source=mail'],
    ['https://e.com/?#top', { source: 'mail' }, 'https://e.com/?utm_source=mail#top'],
    ['https://e.com/?a=1&', { source: 'mail' }, 'https://e.com/?a=1&utm_source=mail'],
    [
      'https://e.com/?b=%7e&utm_source=x&a=+%20;&A#f?utm_source=z',
      { source: 'y & z', content: 'é' },
      'https://e.com/?b=%7e&utm_source=y%20%26%20z&a=+%20;&A&utm_content=%C3%A9#f?utm_source=z',
    ],
    ['https://e.com/?utm_source=x&a=1', { source: '' }, 'https://e.com/?a=1'],
    ['https://e.com/?utm_source=x#f', { source: '' }, 'https://e.com/#f'],
    ['https://e.com/?utm_source=x&a&utm_source=y', { source: 'z' }, 'https://e.com/?utm_source=z&a'],
    // What does not change stays as it is written.
    ['https://e.com/?utm_source=a+b&&x', { source: 'a b' }, 'https://e.com/?utm_source=a+b&&x'],
    ['https://e.com/?&', {}, 'https://e.com/?&'],
    ['https://e.com/??utm_source=x', { source: 'y' }, 'https://e.com/??utm_source=x&utm_source=y'],
    ['https://e.com/', { source: '\ud800' }, 'https://e.com/?utm_source=%EF%BF%BD'],
  ])('are written: %s with %j is %s', (from, values, changed) => {
    expect(withUtm(from, values)).toBe(changed);
  });

  test('are filled as far as it is known with what, and only where a URL has none', () => {
    const template = { ...noUtm, source: null, campaign: '{space}-{date}', content: '{alias}{other}' };
    const filled = filledUtm(template, { alias: null, space: '{alias}', date: '2026-11-26' });
    expect(filled).toEqual({ ...noUtm, campaign: '{alias}-2026-11-26', content: '{alias}{other}' });
    const bare = filledUtm(
      { ...template, source: 'x_{space}', term: 'a-{space}-b' },
      { alias: null, space: '', date: '2026-11-26' },
    );
    expect(bare).toMatchObject({ campaign: '2026-11-26', source: 'x', term: 'a-b' });
    expect(missingIn(`${url}?utm_content=own`, filled)).toEqual({ campaign: '{alias}-2026-11-26' });
  });

  test.each([
    ['Facebook', 'facebook'],
    [' Größe & Öl ', 'grosse-ol'],
    ['新聞', '3'],
  ])('give the alias of a source: %s', (source, slug) => {
    expect(toSlug(source, 3)).toBe(slug);
  });

  test('make a link for each source', () => {
    const fields: LinkFields = {
      ...emptyFields,
      ...{ url: 'example.com/?a', alias: 'spring', sources: ['News', 'x y'], utmTemplateId: '7' },
    };
    expect(newLinkInputs(fields)).toEqual([
      { url: 'https://example.com/?a&utm_source=News', alias: 'spring-news', utmTemplateId: '7' },
      { url: 'https://example.com/?a&utm_source=x%20y', alias: 'spring-x-y', utmTemplateId: '7' },
    ]);
    expect(newLinkInputs({ ...fields, alias: '' }).map(({ alias }) => alias)).toEqual([undefined, undefined]);
  });

  const withTargets = (utm: string, ...targets: string[]): LinkFields => ({
    ...{ ...emptyFields, url: `${url}${utm}`, targetType: 'ROTATION' },
    targets: { ...emptyFields.targets, ROTATION: targets.map((target) => ({ key: '', url: target })) },
  });
  const rotationOf = ({ targeting }: { targeting?: { rotation?: unknown } | null | undefined }) =>
    targeting?.rotation;

  test('are those of targets, too, unless these have their own, or nobody wants that', () => {
    const [plain, own] = ['https://a.example/', 'https://b.example/?utm_source=own'];
    const fields = withTargets('?utm_source=mail', plain, own);
    expect(rotationOf(newLinkInput(fields))).toEqual([`${plain}?utm_source=mail`, own]);
    expect(rotationOf(newLinkInput({ ...fields, utmOnTargets: false }))).toEqual([plain, own]);
    const read = withTargets('?utm_source=old', `${plain}?utm_source=old`, own, 'https://c.example/');
    expect(changedInput(read, read)).toEqual({});
    expect(rotationOf(changedInput({ ...read, url: `${url}?utm_source=new` }, read))).toEqual([
      ...[`${plain}?utm_source=new`, own, 'https://c.example/'],
    ]);
  });

  test('change many links at once', () => {
    const none = { countries: [], platforms: [], languages: [], rotation: [] };
    const link = {
      nodeId: 'n',
      disabled: false,
      archived: false,
      expiration: { at: null },
      updatedAt: '2026-01-01T00:00:00Z',
      space: null,
      tags: [],
    };
    const links = [
      { ...link, id: '1', alias: 'one', url, targeting: { type: 'NONE' as const, ...none } },
      {
        ...{ ...link, id: '2', alias: 'two', url: `${url}?utm_source=x&utm_content=two` },
        targeting: { type: 'ROTATION' as const, ...none, rotation: [url] },
      },
      {
        ...link,
        id: '3',
        alias: 'own',
        url: `${url}?utm_source=x&utm_content=y`,
        targeting: { type: 'NONE' as const, ...none },
      },
    ];
    const template = { ...noUtm, source: 'mail', content: '{alias}' };
    const [one, two, ...others] = utmChanges(links, template, { replaces: false });
    expect(one?.url).toBe(`${url}?utm_source=mail&utm_content=one`);
    expect(one?.change.ifUpdatedAt).toBe(link.updatedAt);
    expect(two?.change.input.targeting?.rotation).toEqual([`${url}?utm_source=mail&utm_content=two`]);
    expect(others).toEqual([]);
    expect(utmChanges(links, template, { replaces: true }).map((change) => change.url)).toEqual([
      `${url}?utm_source=mail&utm_content=one`,
      `${url}?utm_source=mail&utm_content=two`,
      `${url}?utm_source=mail&utm_content=own`,
    ]);
  });
});

describe('a QR code in the console', () => {
  test.each([
    ['#000000', '#ffffff', null],
    ['#ffffff', '#000000', 'lightOnDark'],
    ['#777777', '#ffffff', null],
    ['#aaaaaa', '#ffffff', 'faint'],
    ['#ff0000', '#000080', 'lightOnDark'],
    ['#c2680c', '#ffe9a8', null],
  ])('in %s on %s is readable, or says why not', (dark, light, wrong) => {
    expect(wrongColors(dark, light)).toBe(wrong);
  });

  test.each([
    ['ABC', '#aabbcc'],
    [' #1a2B3c ', '#1a2b3c'],
    ['#12', null],
    ['red', null],
  ])('takes %s as a colour', (text, color) => {
    expect(parseColor(text)).toBe(color);
  });

  test('is in a file that says the link', () => {
    expect(qrFileName('https://go.bücher.example:8080/spring_Sale-1')).toBe(
      'go.bücher.example-8080-spring_Sale-1',
    );
  });
});
