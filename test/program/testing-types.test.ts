import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type * as Declared from '../../packages/linkspace/testing.d.ts';
import * as kit from '../../src/testing/linkspace.ts';

/** Both directions, so that neither the package nor the source has an option that the other lacks. */
type Same<One, Other> = keyof One extends keyof Other
  ? keyof Other extends keyof One
    ? true
    : false
  : false;

test('the declarations of linkspace/testing fit the kit', () => {
  const start: typeof Declared.startLinkspace = kit.startLinkspace;
  const options: Same<Declared.LinkspaceOptions, kit.LinkspaceOptions> = true;
  const service: Same<Declared.Linkspace, kit.Linkspace> = true;
  const visitors: Same<Declared.VisitorOptions, kit.VisitorOptions> = true;
  const people: Same<Declared.PersonOptions, kit.PersonOptions> = true;
  expect([options, service, visitors, people]).toEqual([true, true, true, true]);
  expect(Object.values(kit)).toEqual([start]);
});

test('types refuse the key where only a text works, and take the text of it', () => {
  const uses = (key: Declared.Key): unknown[] => [
    // @ts-expect-error A function has no bytes.
    () => Buffer.from(key),
    // @ts-expect-error
    () => writeFileSync('key.txt', key),
    // @ts-expect-error A function never equals a text.
    key === 'ls_text',
    // @ts-expect-error
    () => new Headers({ Authorization: key }),
    () => Buffer.from(`${key}`),
  ];
  expect(uses).toBeTypeOf('function');
});
