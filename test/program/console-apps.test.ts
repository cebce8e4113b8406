import { expect, test } from 'vitest';
import {
  androidLines,
  appleLines,
  linesIn,
  parseAndroid,
  parseApple,
} from '../../console/src/data/app-lines.ts';

test('apps are read from lines, and written as the same', () => {
  const apple = [
    { teamId: 'ABCDE12345', bundleId: 'com.example.app', paths: ['/a/*', 'NOT /b/*', '*'] },
    { teamId: 'ABCDE12345', bundleId: 'com.example.other', paths: ['*'] },
  ];
  expect(parseApple(appleLines(apple))).toEqual(apple);
  const android = [{ package: 'com.example.app', fingerprints: ['1F:2E', '3D:4C'] }];
  expect(parseAndroid(androidLines(android))).toEqual(android);
});

test('blank lines count as lines, and commas and blanks separate', () => {
  const text = '\n ABCDE12345.com.example.app   NOT  /b, /a/*\n\nTEAM';
  expect(parseApple(text)).toEqual([
    { teamId: 'ABCDE12345', bundleId: 'com.example.app', paths: ['NOT /b', '/a/*'] },
    { teamId: 'TEAM', bundleId: '' },
  ]);
  expect(linesIn(text).map(({ at }) => at)).toEqual([2, 4]);
  expect(parseAndroid('com.example.app 1F:2E,3D:4C')).toEqual([
    { package: 'com.example.app', fingerprints: ['1F:2E', '3D:4C'] },
  ]);
  expect(parseAndroid('  ')).toEqual([]);
});
