import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDestination } from '../../src/engine/tools/log.ts';

test('a line is written without measuring those that wait', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dest = join(folder, 'log');
  const destination = openDestination({ dest, sync: false, minLength: 48_000, maxWrite: 64_000 });
  const lines = Array.from(
    { length: 1_000 },
    (_, number) => `{"number":${number},"name":"ü${'x'.repeat(80)}"}\n`,
  );
  const measure = vi.spyOn(Buffer, 'byteLength');
  for (const line of lines) destination.write(line);
  const measured = measure.mock.calls.length;
  measure.mockRestore();
  await new Promise<void>((resolve) => {
    destination.once('close', resolve);
    destination.end();
  });
  expect(readFileSync(dest, 'utf8')).toBe(lines.join(''));
  expect(measured).toBe(0);
});
