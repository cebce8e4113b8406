// Two PostgreSQL servers under Patroni, with etcd and HAProxy, all on this machine: the set-up of docs/operations.md.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/support/postgres-server.ts';

const VERSIONS = '/usr/lib/postgresql';
const PASSWORD = 'the-password-of-the-rehearsal';

function binaries(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')));
}

const commands = { 'etcd-server': 'etcd', patroni: 'patroni', haproxy: '/usr/sbin/haproxy' };

function printed(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8' }).split('\n')[0];
  } catch {
    return undefined;
  }
}

/** The version of each part; undefined for a package of Debian that is missing. */
export function versionsOfParts(): Record<string, string | undefined> {
  const postgres = binaries();
  return {
    ...Object.fromEntries(
      Object.entries(commands).map(([name, command]) => [
        name,
        printed(command, [name === 'haproxy' ? '-v' : '--version']),
      ]),
    ),
    postgresql: postgres && printed(join(postgres, 'postgres'), ['--version']),
  };
}

/** PostgreSQL and Patroni refuse to run as root; Debian's packages have this user. */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const readId = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: readId('-u'), gid: readId('-g') };
}

const folder = mkdtempSync(join(tmpdir(), 'linkspace-failover-'));
const user = findUser();
if (user) chownSync(folder, user.uid, user.gid);

/** Starts a part; its output goes to a file of its name. */
function run(name: string, command: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  return spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    cwd: process.cwd(),
    stdio: ['ignore', log, log],
    ...user,
  });
}

/** The processes that a process has started, and theirs. */
function findDescendants(pid: number): number[] {
  const children = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, fields = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ');
      return Number(fields.split(' ')[1]) === pid ? [Number(name)] : [];
    } catch {
      return []; // It has ended.
    }
  });
  return children.flatMap((child) => [child, ...findDescendants(child)]);
}

/** A machine with PostgreSQL under Patroni. */
export class Machine {
  readonly name: string;
  readonly port: number;
  readonly checkPort: number;
  readonly #etcd: string;
  #patroni: ChildProcess | undefined;

  constructor(name: string, port: number, checkPort: number, etcd: string) {
    this.name = name;
    this.port = port;
    this.checkPort = checkPort;
    this.#etcd = etcd;
  }

  /** The address of a database on it. */
  urlOf(database: string): string {
    return `postgresql://postgres:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  get #data(): string {
    return join(folder, this.name);
  }

  start(): void {
    this.#patroni = run(`patroni-${this.name}`, 'patroni', ['deploy/failover/patroni.yml'], {
      PATRONI_NAME: this.name,
      PATRONI_ETCD3_HOSTS: this.#etcd,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${this.checkPort}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${this.checkPort}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${this.port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${this.port}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.#data,
      PATRONI_POSTGRESQL_BIN_DIR: binaries() ?? '',
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
    });
  }

  /** Asks Patroni for the machine's role, such as `primary` and `sync_standby`; null if it does not answer. */
  async role(): Promise<string | null> {
    const answer = await fetch(`http://127.0.0.1:${this.checkPort}/cluster`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => null);
    const cluster = (await answer?.json().catch(() => null)) as {
      members: { name: string; role: string; state: string }[];
    } | null;
    const own = cluster?.members.find(({ name }) => name === this.name);
    return own && ['running', 'streaming'].includes(own.state) ? own.role : null;
  }

  /** All processes of the machine: Patroni, and PostgreSQL with its own. */
  #processes(): number[] {
    const file = join(this.#data, 'postmaster.pid');
    const postmaster = existsSync(file) ? [Number(readFileSync(file, 'utf8').split('\n')[0])] : [];
    const first = [...(this.#patroni?.pid ? [this.#patroni.pid] : []), ...postmaster];
    return [...new Set(first.flatMap((pid) => [pid, ...findDescendants(pid)]))];
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#processes())
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended.
      }
  }

  /** Loses it at once, as without power. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Has it neither answer nor close connections, as when its network is cut off; or continue. */
  freeze(frozen: boolean): void {
    this.#signal(frozen ? 'SIGSTOP' : 'SIGCONT');
  }
}

/** The machines, and how they end. */
export async function startMachines() {
  const [client, peer, primary] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(join(folder, 'etcd'));
  if (user) chownSync(join(folder, 'etcd'), user.uid, user.gid);
  const etcdUrl = `http://127.0.0.1:${client}`;
  const etcd = run('etcd', 'etcd', [
    ...[
      '--data-dir',
      join(folder, 'etcd'),
      '--listen-client-urls',
      etcdUrl,
      '--advertise-client-urls',
      etcdUrl,
    ],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
  ]);
  const machines: Machine[] = [];
  for (const name of ['a', 'b'])
    machines.push(new Machine(name, await freePort(), await freePort(), `127.0.0.1:${client}`));
  const [a, b] = machines as [Machine, Machine];
  const haproxy = run('haproxy', commands.haproxy, ['-db', '-f', 'deploy/failover/haproxy.cfg'], {
    PRIMARY: `127.0.0.1:${primary}`,
    ...Object.fromEntries(
      machines.flatMap(({ name, port, checkPort }) => [
        [`SERVER_${name.toUpperCase()}`, `127.0.0.1:${port}`],
        [`CHECK_${name.toUpperCase()}`, String(checkPort)],
      ]),
    ),
  });
  /** @param keepsLogs whether the folder stays, to see what failed */
  const stop = (keepsLogs: boolean) => {
    for (const machine of machines) machine.freeze(false);
    for (const machine of machines) machine.kill();
    for (const part of [haproxy, etcd]) part.kill('SIGKILL');
    if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
  };
  a.start();
  return {
    a,
    b,
    folder,
    stop,
    urlOf: (database: string) => `postgresql://postgres:${PASSWORD}@127.0.0.1:${primary}/${database}`,
  };
}

/** Waits until one machine is the primary, and the other its synchronous standby. */
export async function untilReady(a: Machine, b: Machine): Promise<{ primary: Machine; standby: Machine }> {
  for (let i = 0; i < 600; i++) {
    const roles = [await a.role(), await b.role()];
    if (roles[0] === 'leader' && roles[1] === 'sync_standby') return { primary: a, standby: b };
    if (roles[1] === 'leader' && roles[0] === 'sync_standby') return { primary: b, standby: a };
    await setTimeout(200);
  }
  throw new Error(`the servers are not ready: see ${folder}`);
}
