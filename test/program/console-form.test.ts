import { describe, expect, test } from 'vitest';
import { changedFields, fieldsInConflict } from '../../console/src/data/edit-state.ts';
import {
  changedInput,
  emptyFields,
  fieldsOfDraft,
  hasChanges,
  type LinkFields,
  newLinkInput,
  type TargetField,
  type TargetList,
} from '../../console/src/data/link-fields.ts';
import { errorsAfter, errorsIn, linkErrors, unsendable } from '../../console/src/data/refusals.ts';
import { fieldsWith, typedFields } from '../../console/src/data/typed.ts';

const url = 'https://example.com/';
/** A form in which only one list of targets is shown. */
function formWith(
  targetType: LinkFields['targetType'],
  lists: Partial<Record<TargetList, readonly TargetField[]>>,
): LinkFields {
  return { ...emptyFields, url, targetType, targets: { ...emptyFields.targets, ...lists } };
}
/** The first sentence of each error. */
const wrongIn = (fields: LinkFields, read?: LinkFields) =>
  Object.fromEntries(
    Object.entries(unsendable(fields, read)).map(([path, text]) => [path, text.split(', ')[0]]),
  );

const choose = 'Choose the system';
const where = 'Enter where these visitors go';
const add = 'Add a destination below';

describe('the form of a link in the console', () => {
  test.each<[what: string, fields: LinkFields, wrong: Record<string, string>]>([
    [
      'a URL without a system',
      formWith('PLATFORM', { PLATFORM: [{ key: '', url }] }),
      { 'platforms.0.platform': choose },
    ],
    [
      'a system without a URL',
      formWith('PLATFORM', { PLATFORM: [{ key: 'IOS', url: ' ' }] }),
      { 'platforms.0.url': where },
    ],
    [
      'a country that is typed and not chosen',
      formWith('COUNTRY', { COUNTRY: [{ key: '', url, typed: 'Atlantis' }] }),
      { 'countries.0.country': '“Atlantis” is not chosen. Choose from the list' },
    ],
    [
      'a language that was chosen, and another one typed',
      formWith('LANGUAGE', { LANGUAGE: [{ key: 'de', url, typed: 'Klingon' }] }),
      { 'languages.0.language': '“Klingon” is not chosen. Choose from the list' },
    ],
    [
      'a line behind one with nothing in it',
      formWith('LANGUAGE', {
        LANGUAGE: [
          { key: '', url: '' },
          { key: 'de', url: '' },
        ],
      }),
      { 'languages.1.url': where },
    ],
    ['a list with nothing in it', formWith('COUNTRY', { COUNTRY: [{ key: '', url: '' }] }), { type: add }],
    ['a rotation without a line', formWith('ROTATION', {}), { type: add }],
    [
      'a line with nothing in it beside others',
      formWith('ROTATION', {
        ROTATION: [
          { key: '', url },
          { key: '', url: '' },
        ],
      }),
      {},
    ],
    ['a list that is hidden', formWith('NONE', { COUNTRY: [{ key: '', url, typed: 'Atlantis' }] }), {}],
    [
      'a list that is hidden by another',
      formWith('ROTATION', { ROTATION: [{ key: '', url }], PLATFORM: [{ key: '', url }] }),
      {},
    ],
  ])('of %s names what is missing', (_what, fields, wrong) => {
    const expected = Object.fromEntries(
      Object.entries(wrong).map(([path, text]) => [`targeting.${path}`, text]),
    );
    expect(wrongIn(fields)).toEqual(expected);
  });

  test('names a pixel and half a time that cannot be sent; a space that is typed is made', () => {
    const fields = { ...emptyFields, url, spaceTyped: 'Spring ', pixelTyped: 'Ads', expiresAt: 'incomplete' };
    expect(wrongIn(fields)).toEqual({
      pixelIds: '“Ads” is not chosen. Choose from the list',
      'expiration.at': 'Enter the time as well as the date',
    });
    expect(hasChanges({ ...emptyFields, spaceTyped: 'Spring' }, emptyFields)).toBe(true);
  });

  test('leaves an unfinished list alone that the link has and nobody changes', () => {
    const read = formWith('COUNTRY', {});
    expect(unsendable({ ...read, title: 'Other' }, read)).toEqual({});
  });

  test('finds no change in a form that is compared with itself', () => {
    const fields = formWith('COUNTRY', {
      COUNTRY: [
        { key: 'DE', url, typed: 'Atl' },
        { key: '', url: '', typed: 'Ger' },
      ],
    });
    expect(changedFields(fields, structuredClone(fields))).toEqual({});
    const typedMore = formWith('COUNTRY', { COUNTRY: [{ key: 'DE', url, typed: 'Atlantis' }] });
    const typedLess = formWith('COUNTRY', { COUNTRY: [{ key: 'DE', url }] });
    const { targetType, targets } = typedMore;
    expect(changedFields(typedMore, typedLess)).toEqual({ targetType, targets });
  });

  test('has a conflict where both changed the same field to different values', () => {
    const read = formWith('COUNTRY', { COUNTRY: [{ key: 'DE', url }] });
    const theirs = { ...read, title: 'Both', alias: 'theirs' };
    expect(fieldsInConflict(theirs, { ...read, title: 'Both' }, read)).toEqual([]);
    expect(fieldsInConflict(theirs, { ...theirs, url: 'https://example.com/mine' }, read)).toEqual([]);
    expect(fieldsInConflict(theirs, { ...read, title: 'Mine' }, read)).toEqual(['title']);
  });

  test('sends only the list that is shown', () => {
    const read = formWith('NONE', { COUNTRY: [{ key: 'DE', url }] });
    const fields = formWith('PLATFORM', {
      COUNTRY: [{ key: '', url }],
      PLATFORM: [
        { key: 'IOS', url },
        { key: '', url: '' },
      ],
    });
    const targeting = { type: 'PLATFORM', platforms: [{ platform: 'IOS', url }] };
    expect(newLinkInput(fields).targeting).toEqual(targeting);
    expect(changedInput(fields, read)).toEqual({ targeting });
    const hidden = formWith('NONE', { COUNTRY: [{ key: '', url }] });
    expect([changedInput(hidden, read), hasChanges(hidden, read)]).toEqual([{}, false]);
  });

  const list = formWith('COUNTRY', {
    COUNTRY: [
      { key: '', url: '' },
      { key: 'DE', url },
      { key: 'DE', url },
    ],
  });
  test.each<[path: string, place: string | null, fields?: LinkFields]>([
    ['url', 'url'],
    ['alias', 'alias'],
    ['title', 'title'],
    ['domainId', 'domainId'],
    ['spaceId', 'spaceId'],
    ['password', 'password'],
    ['privacy', 'privacy'],
    ['privacyPassword', null],
    ['privacyPassword', 'privacyPassword', { ...emptyFields, privacy: 'PASSWORD' }],
    ['expiration.at', 'expiration.at'],
    ['expiration.clicks', 'expiration.clicks'],
    ['expiration.url', 'expiration.url'],
    ['expiration', null],
    ['pixelIds', 'pixelIds'],
    ['pixelIds.0', 'pixelIds'],
    ['targeting.type', 'targeting.type'],
    ['targeting.countries', 'targeting.type', list],
    ['targeting.countries.1.country', 'targeting.countries.2.country', list],
    ['targeting.countries.0.url', 'targeting.countries.1.url', list],
    ['targeting.countries.7.url', null, list],
    ['targeting.rotation.0', 'targeting.rotation.0', formWith('ROTATION', { ROTATION: [{ key: '', url }] })],
    ['targeting.rotation.0', null, list],
    ['disabled', null],
    ['reuse', null],
    ['tagIds.3', 'tagIds'],
    ['colours.3', null],
  ])('shows the error of %s at %s', (path, place, fields = emptyFields) => {
    const refusal = { message: 'No', fields: [{ path: path.split('.'), messages: ['is wrong'] }] };
    const { errors, besides } = linkErrors(refusal, fields);
    expect(Object.keys(errors)).toEqual(place === null ? [] : [place]);
    if (place === null) expect(besides).toMatch(/^(The [\w ]+|“[\w.]+”) is wrong\.$/);
    else expect(besides).toBeNull();
  });

  test('keeps the errors that a change does not mend', () => {
    const errors = {
      url: 'a',
      alias: 'b',
      'expiration.clicks': 'c',
      'targeting.countries.0.url': 'd',
      spaceId: 'e',
    };
    const left = (patch: Partial<LinkFields>) => Object.values(errorsAfter(errors, patch)).join('');
    expect(left({ title: 'x' })).toBe('abcde');
    expect(left({ url: 'x' })).toBe('bcde');
    expect(left({ domainId: '2' })).toBe('acde');
    expect(left({ expiresAfter: '2' })).toBe('abde');
    expect(left({ expiresAt: '', expiredUrl: '' })).toBe('abcde');
    expect(left({ targets: emptyFields.targets })).toBe('abce');
    expect(left({ spaceTyped: 'x' })).toBe('abcd');
  });

  test('reads a draft of an earlier version, and leaves out what is no field', () => {
    const { spaceTyped: _, ...earlier } = { ...emptyFields, url };
    expect(fieldsOfDraft({ ...earlier, title: 7, other: 'x' })).toEqual({ ...emptyFields, url });
    expect([null, 'x', undefined].map(fieldsOfDraft)).toEqual([null, null, null]);
  });
});

describe('what was typed', () => {
  const read: LinkFields = {
    ...formWith('COUNTRY', { COUNTRY: [{ key: 'DE', url }], ROTATION: [{ key: '', url }] }),
    ...{ title: 'Read', tagIds: ['1'], expiresAfter: '5' },
  };
  const mine: LinkFields = {
    ...read,
    ...{ title: 'Typed', forwardsQuery: false, tagIds: ['1', '2'], targetType: 'PLATFORM', password: 'x' },
    targets: { ...read.targets, PLATFORM: [{ key: 'IOS', url: 'https://ios.example/' }] },
  };
  const kept = JSON.parse(JSON.stringify(typedFields(mine, read)));

  test('is kept without anything else of a link', () => {
    expect(Object.keys(kept.typed)).toEqual([
      ...['title', 'targetType', 'tagIds', 'forwardsQuery', 'targets.PLATFORM'],
    ]);
    expect(JSON.stringify(kept)).not.toMatch(/Read|example\.com|"DE"/);
  });

  test('is typed again in a link that is as it was', () => {
    expect(fieldsWith(kept, read)).toEqual({ fields: { ...mine, password: '' }, read });
  });

  test.each<[changed: Partial<LinkFields>, conflicts: string[]]>([
    [{ url: 'https://other.example/', expiresAfter: '6' }, []],
    [{ title: 'Theirs', forwardsQuery: false }, ['title']],
    [{ title: 'Typed', tagIds: [] }, ['tagIds']],
    [{ targetType: 'NONE' }, ['targetType', 'targets']],
    [
      {
        targetType: 'PLATFORM',
        targets: formWith('PLATFORM', { PLATFORM: [{ key: 'LINUX', url }] }).targets,
      },
      ['targetType', 'targets'],
    ],
  ])('is in conflict with what others changed: %j', (changed, conflicts) => {
    const now = { ...read, ...changed };
    const found = fieldsWith(kept, now);
    const names = fieldsInConflict(now, found?.fields ?? now, found?.read ?? now);
    expect(names.toSorted()).toEqual(conflicts.toSorted());
    expect(found?.fields).toMatchObject({ title: 'Typed', url: now.url });
  });

  test('is nothing where this version does not know the fields', () => {
    expect(fieldsWith({ typed: { other: 'x', title: 7, tagIds: 'x' }, signs: {} }, read)).toBeNull();
  });
});

test('errors of a dialog stand at its fields, others in its message', () => {
  const refused = (path: string[]) => ({ path, messages: ['is wrong'] });
  expect(errorsIn(['name'], [refused(['name']), refused(['color']), refused(['events', '0'])])).toEqual({
    errors: { name: 'The name is wrong.' },
    besides: 'The colour is wrong. “events.0” is wrong.',
  });
});
