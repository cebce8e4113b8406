import { expect, test } from 'vitest';
import { requireFewRows, TooManyRows } from '../../src/clicks/row-limit.ts';
import { emptyDay, emptyHour, type Visits } from '../../src/clicks/visit-counts.ts';
import { dayOf, hourOf } from '../../src/db/statistics/calendar.ts';
import { kinds, visitValue } from '../../src/db/statistics/value.ts';

const AT = new Date('2026-11-20T12:00:00Z');

/** Visits of so many links on one day, each with so many values. */
function visitsOf(links: number, values: number): Visits {
  const some = Array.from({ length: values }, (_, index) =>
    visitValue(kinds.REFERRER, { referrer: `r${index}` }),
  );
  return new Map(
    Array.from({ length: links }, (_, id) => [
      id,
      {
        last: null,
        hours: new Map([[hourOf(AT), { ...emptyHour(), clicks: 1 }]]),
        days: new Map([
          [
            dayOf(AT),
            { ...emptyDay(), visitors: new Set(['x']), values: new Map(some.map((one) => [one, 1])) },
          ],
        ]),
      },
    ]),
  );
}

test.each<[string, number, number, (link: number) => number, boolean]>([
  ['links of one account share its rows', 500, 7, () => 1, true],
  ['links of as many accounts share none', 500, 7, (link) => link, false],
  ['their values count', 500, 9, () => 1, false],
  ['few are never too many', 150, 7, (link) => link, true],
])('%s', (_what, links, values, accountOf, isAllowed) => {
  const check = () => requireFewRows(visitsOf(links, values), accountOf);
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(TooManyRows);
});
