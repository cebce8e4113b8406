import { describe, expect, test } from 'vitest';
import { markedParts, noteWith, rank } from '../../console/src/app/palette/ranking.ts';

const shop = { name: 's.example/shop', note: 'Autumn sale' };
const newLink = { name: 'New link', words: 'make create add shorten' };

describe('the quick search of the console', () => {
  test.each([
    ['sh', shop, 0],
    ['S.example/sh', shop, 0],
    ['sale', shop, 1],
    ['sale aut', shop, 1],
    ['op', shop, 2],
    ['sh', { name: 'Keyboard shortcuts' }, 1],
    ['sh', { name: 's.example/fashion', note: 'Spring' }, 2],
    ['sh', { name: 's.example/fair', note: 'lindenhof.example/spring' }, null],
    ['new', newLink, 0],
    ['link new', newLink, 1],
    ['sh', newLink, null],
    ['shorten', newLink, 3],
    ['make a link', newLink, 3],
    ['make tea', newLink, null],
    ['läd', { name: 's.example/x', note: 'Unsere Läden' }, 1],
  ])('ranks “%s” in %o', (text, entry, expected) => {
    expect(rank(text, entry)).toBe(expected);
  });

  test.each([
    ['shop', 'Autumn sale'],
    ['prin', 'Print and shops · Autumn sale'],
    ['example/autumn', 'lindenhof.example/autumn · Autumn sale'],
    ['gone', 'Autumn sale'],
    ['', 'Autumn sale'],
  ])('says by what “%s” found a link: %s', (text, expected) => {
    expect(noteWith(text, shop, ['lindenhof.example/autumn', 'Print and shops'])).toBe(expected);
  });

  test.each([
    ['s.example/Shop', 'sh', ['s.example/', 'Sh', 'op']],
    ['a.b axb', 'a.b', ['', 'a.b', ' axb']],
    ['Läden', 'lä en', ['', 'Lä', 'd', 'en', '']],
    ['Text', ' ', ['Text']],
  ])('marks in “%s” what “%s” found', (text, sought, expected) => {
    expect(markedParts(text, sought)).toEqual(expected);
  });
});
