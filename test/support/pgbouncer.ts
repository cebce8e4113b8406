import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connectTo } from '../../src/engine/db/postgresql/client.ts';
import { freePort, NOBODY } from './postgres-server.ts';

export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;
if (!hasPgBouncer) console.warn('pgbouncer is not installed: tests with it are skipped');

export interface PgBouncer {
  /** The URL of a database through the pooler. */
  pooled(url: string): string;
  stop(): void;
}

/** Starts PgBouncer in transaction mode before the server of `url`. */
export async function startPgBouncer(url: string): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-pgbouncer-'));
  const port = await freePort();
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username || 'postgres'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
`,
  );
  chmodSync(folder, 0o755);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const pooler = spawn('pgbouncer', ['-q', configuration], { ...(asRoot && NOBODY), stdio: 'ignore' });
  const pooled = (direct: string) =>
    Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(port) }).href;
  const isUp = () =>
    connectTo(pooled(url)).then(
      (client) => client.end().then(() => true),
      () => false,
    );
  while (pooler.exitCode === null && !(await isUp())) await setTimeout(20);
  return {
    pooled,
    stop() {
      pooler.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
