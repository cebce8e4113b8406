// npm run try-alerts: checks the rules of deploy/observability, its alerts with samples, and the queries of the dashboard.
// It needs promtool, from Debian's package prometheus.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from './command.mjs';
import { root } from './stamp.mjs';

const folder = join(root, 'deploy/observability');

/** The dashboard's queries as a file of rules, with a value for each of Grafana's variables. */
function queriesAsRules() {
  const { panels } = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'));
  const rules = panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*'),
    }));
  return JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
}

function promtool(...words) {
  const { error, status } = spawnSync('promtool', words, { stdio: 'inherit' });
  if (error?.code === 'ENOENT') throw new Error('promtool is missing: it is in Debian’s package prometheus');
  if (error || status !== 0) throw new Error(`promtool ${words.join(' ')} failed`, { cause: error });
}

await script(async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'linkspace-alerts-'));
  try {
    const queries = join(temporary, 'dashboard.yml');
    writeFileSync(queries, queriesAsRules());
    promtool('check', 'config', join(folder, 'prometheus.yml'));
    promtool('check', 'rules', queries);
    promtool('test', 'rules', join(folder, 'rules.test.yml'));
  } finally {
    rmSync(temporary, { recursive: true });
  }
});
