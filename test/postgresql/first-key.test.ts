import { expect, test } from 'vitest';
import { newDatabase } from '../support/database.ts';
import { freePort } from '../support/postgres-server.ts';
import { firstAnswers } from '../support/process.ts';
import { startService } from '../support/service.ts';

const INITIAL_API_KEY = 'k'.repeat(32);

test('answers the first requests only once the first key exists', async () => {
  const port = await freePort();
  const DATABASE_URL = await newDatabase({ migrated: false });
  const [service, statuses] = await Promise.all([
    startService({ DATABASE_URL, PORT: String(port), INITIAL_API_KEY }),
    firstAnswers(port, INITIAL_API_KEY),
  ]);
  await service.end();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(service.stdout).toContain('-H "Authorization: Bearer $KEY"');
});
