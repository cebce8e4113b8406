// npm run try-image: does what the Dockerfile says without a container engine, as far as that goes. Each stage is a
// folder, each RUN line runs there as a script, COPY takes what is committed and .dockerignore lets through; then the
// image's command is started and must pass its health check. Users, base images and ports are not tried.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root } from './stamp.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'linkspace-image-'));
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
const context = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !ignored.some((entry) => file === entry || file.startsWith(`${entry}/`)));

const folders = new Map();
let stage = '';
let directory = '/';
let environment = {};
let command;
let healthcheck;

/** Where a path of the image lies in this stage's folder. */
const placeOf = (path, of = stage) =>
  join(folders.get(of), path.startsWith('/') ? path : join(directory, path));

function copy(words) {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.pop();
  for (const source of paths) {
    if (from !== undefined) {
      cpSync(placeOf(source, from), placeOf(target), { recursive: true, verbatimSymlinks: true });
      continue;
    }
    const files = context.filter(
      (file) => source === '.' || file === source || file.startsWith(`${source}/`),
    );
    if (files.length === 0) throw new Error(`COPY ${source}: the build would not find it.`);
    // A file keeps its name; of a folder, the contents are copied.
    const base = files.includes(source) ? dirname(source) : source;
    for (const file of files) cpSync(join(root, file), join(placeOf(target), relative(base, file)));
  }
}

const instructions = {
  FROM(words) {
    stage = words[2] ?? 'final';
    folders.set(stage, join(temporary, stage));
    [directory, environment] = ['/', {}];
  },
  WORKDIR([path]) {
    directory = path;
    mkdirSync(placeOf('.'), { recursive: true });
  },
  ENV(words) {
    for (const word of words) environment[word.split('=')[0]] = word.slice(word.indexOf('=') + 1);
  },
  COPY: copy,
  RUN(words) {
    const line = words.join(' ');
    console.log(`${stage}: ${line}`);
    const { status } = spawnSync('sh', ['-ec', line], {
      cwd: placeOf('.'),
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`RUN ${line}: exit code ${status}`);
  },
  CMD(words) {
    command = JSON.parse(words.join(' '));
  },
  HEALTHCHECK(words) {
    healthcheck = JSON.parse(words.slice(words.indexOf('CMD') + 1).join(' '));
  },
  USER() {},
  VOLUME() {},
  EXPOSE() {},
};

try {
  for (const line of lines.filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const [name, ...words] = line.split(/\s+/);
    if (!(name in instructions)) throw new Error(`This does not know the instruction ${name}.`);
    instructions[name](words);
  }
  const env = { PATH: process.env.PATH, ...environment, PORT: process.env.PORT ?? '3999' };
  const started = performance.now();
  const server = spawn(command[0], command.slice(1), {
    cwd: placeOf('.'),
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const isHealthy = () => spawnSync(healthcheck[0], healthcheck.slice(1), { env }).status === 0;
  while (!isHealthy()) {
    if (server.exitCode !== null || performance.now() - started > 30_000)
      throw new Error('It did not become healthy.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(`healthy after ${Math.round(performance.now() - started)} ms`);
  server.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`It ended with exit code ${code}.`);
  console.log('stopped by SIGTERM with exit code 0');
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
