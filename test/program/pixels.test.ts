import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pixelTypes } from '../../src/domain/pixel.ts';
import { writeScript } from '../../src/redirect/pixels.ts';

/** The effects of a script on a page: the addresses that it loads, and its properties of the window. */
function run(script: string) {
  const loaded: string[] = [];
  const window: Record<string, unknown> = {};
  const document = {
    createElement: () => ({ src: '' }),
    head: { appendChild: ({ src }: { src: string }) => loaded.push(src) },
  };
  Object.assign(window, { window, document });
  runInContext(script, createContext(window));
  return { loaded, window };
}

test.each(Object.keys(pixelTypes))('the script of %s runs, and loads one script from the network', (type) => {
  const { loaded } = run(writeScript({ type, value: 'AB-12' }));
  expect(loaded).toEqual([expect.stringMatching(/^https:\/\/[\w.-]+\/[\w/.-]+(\?id=AB-12)?$/)]);
});

test('runs AdRoll’s script of the advertiser, whatever the case of the ids', () => {
  const { loaded } = run(writeScript({ type: 'ADROLL', value: 'XIDX9:PIX' }));
  expect(loaded).toEqual(['https://s.adroll.com/j/XIDX9/roundtrip.js']);
});

test.each([
  [
    'FACEBOOK',
    'fbq',
    [
      ['init', 'AB-12'],
      ['track', 'PageView'],
    ],
  ],
  [
    'QUORA',
    'qp',
    [
      ['init', 'AB-12'],
      ['track', 'ViewContent'],
    ],
  ],
  ['X', 'twq', [['config', 'AB-12']]],
  ['PINTEREST', 'pintrk', [['load', 'AB-12'], ['page']]],
])('%s finds its calls in the queue of %s', (type, name, calls) => {
  const { window } = run(writeScript({ type, value: 'AB-12' }));
  const { queue } = window[name] as { queue: ArrayLike<unknown>[] };
  expect(queue.map((call) => Array.from(call))).toEqual(calls);
});

test.each(Object.keys(pixelTypes))('no value of %s can end the script or a string in it', (type) => {
  const value = `</script>"');alert(1)//\u2028`;
  const script = writeScript({ type, value });
  expect(script).not.toContain('</script>');
  const { loaded, window } = run(script);
  expect(loaded).toHaveLength(1);
  expect(JSON.stringify(Object.keys(window))).not.toContain('alert');
});
