import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the image and npm start use the same V8 flags', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const flags = /^exec node (.*)scripts\/run\.mjs main$/.exec(scripts.start)?.[1]?.trim().split(' ');
  expect(JSON.parse(command)).toEqual(['node', ...(flags ?? []), 'dist/main.js']);
});
