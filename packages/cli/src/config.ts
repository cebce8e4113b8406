import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, EXIT, usageError } from './errors.ts';

/** The address of a service, and the key of an account. */
export interface Login {
  readonly url: string;
  readonly key: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const LONGEST_KEY = 1_024;
/** Hosts of this computer, to which plain HTTP shows the key to nobody. */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Returns the path of the file in which `lsp login` stores the address and the key. */
export function configFile(env: Env): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'linkspace/config.json');
}

/**
 * Returns the address of a service in its normal form.
 * @throws CliError for plain HTTP to another computer, which would show the key on the way
 */
export function parseServiceUrl(text: string, name: string): string {
  if (!URL.canParse(text)) throw usageError(`${name} must be an address such as https://links.example.`);
  const { protocol, hostname, origin, pathname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash)
    throw usageError(`${name} must have no user, password, query or fragment.`);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOCAL.test(hostname)))
    throw usageError(`${name} must begin with https://; plain http is only for localhost.`);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** @throws CliError if the text cannot be a key */
export function parseKey(text: string, name: string): string {
  const key = text.trim();
  if (key === '') throw usageError(`${name} is empty.`);
  if (key.length > LONGEST_KEY || !/^[\x21-\x7e]+$/.test(key)) throw usageError(`${name} is not an API key.`);
  return key;
}

/** Stores the login so that only its user can read it. The file is written as a whole, or not at all. */
export function storeLogin(env: Env, login: Login): string {
  const file = configFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}

/** Deletes the stored login, also a damaged one. Returns false if there was none. */
export function removeLogin(env: Env): boolean {
  const file = configFile(env);
  const existed = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  rmSync(file, { force: true });
  return existed;
}

/** The longest file with a key or a login, in bytes. */
const LONGEST_FILE = 65_536;

/** Reads a file, which may be a device or a pipe without an end. @throws CliError for one that is too long */
function readBounded(file: string): string {
  const bytes = Buffer.alloc(LONGEST_FILE + 1);
  const opened = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(opened, bytes, length, bytes.length - length, null);
    if (length > LONGEST_FILE) throw usageError(`${file} is longer than ${LONGEST_FILE} bytes.`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(opened);
  }
}

/** Reads a file; null if there is none. */
function readIfThere(file: string): string | null {
  try {
    return readBounded(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function readStored(env: Env): Login | null {
  const file = configFile(env);
  const text = readIfThere(file);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {}
  if (typeof value === 'object' && value !== null && 'url' in value && 'key' in value) {
    const { url, key } = value;
    if (typeof url === 'string' && typeof key === 'string')
      return { url: parseServiceUrl(url, `url in ${file}`), key: parseKey(key, `key in ${file}`) };
  }
  throw new CliError(`${file} is damaged. Run lsp login URL again.`, EXIT.usage);
}

function keyInEnvironment(env: Env): string | null {
  if (env.LINKSPACE_KEY) return parseKey(env.LINKSPACE_KEY, 'LINKSPACE_KEY');
  const file = env.LINKSPACE_KEY_FILE;
  if (!file) return null;
  const text = readIfThere(file);
  if (text === null) throw usageError('LINKSPACE_KEY_FILE names a file that does not exist.');
  return parseKey(text, 'The file in LINKSPACE_KEY_FILE');
}

/**
 * Returns the address and the key: those of the environment, or else the stored ones. A stored key is sent to its own service
 * only.
 * @throws CliError if one is missing
 */
export function readLogin(env: Env): Login {
  const url = env.LINKSPACE_URL ? parseServiceUrl(env.LINKSPACE_URL, 'LINKSPACE_URL') : null;
  const key = keyInEnvironment(env);
  if (url !== null && key !== null) return { url, key };
  const stored = readStored(env);
  if (url !== null && stored?.url !== url)
    throw new CliError(
      `There is no key for ${url}. Set LINKSPACE_KEY, or run lsp login ${url}.`,
      EXIT.notAllowed,
    );
  if (stored === null)
    throw new CliError(
      'You are not logged in. Run lsp login URL, or set LINKSPACE_URL and LINKSPACE_KEY.',
      EXIT.notAllowed,
    );
  return { url: url ?? stored.url, key: key ?? stored.key };
}
