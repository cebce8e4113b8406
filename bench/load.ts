// The load generators of the benchmarks: wrk for a single kind of request, autocannon for a mix.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Request } from './scenarios.ts';
import { KEY } from './target.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';
const CONNECTIONS = 16;

let asked = 0;

/** Stands for the number of a request that has to be new. */
const NUMBER = '__NUMBER__';

/** The request with a place for its number, if each has to be new. */
function numbered({ path, body, type, anew }: Request): { path: string; body: string | undefined } {
  if (!anew || path.includes(NUMBER) || body?.includes(NUMBER)) return { path, body };
  if (body === undefined || type !== 'application/json')
    return { path: `${path}${path.includes('?') ? '&' : '?'}number=${NUMBER}`, body };
  return { path, body: body.replace('{', `{"extensions":{"number":${NUMBER}},`) };
}

/** The next request. */
function next(request: Request): { path: string; body: string | undefined } {
  const { path, body } = numbered(request);
  const number = String(asked++);
  return { path: path.replaceAll(NUMBER, number), body: body?.replaceAll(NUMBER, number) };
}

function headersOf({ type }: Request): Record<string, string> {
  return {
    authorization: `Bearer ${KEY}`,
    'user-agent': BROWSER,
    ...(type && { 'content-type': type }),
  };
}

function isInstalled(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** wrk takes little of the second core; autocannon is slower than the program's redirects, and so flatters their baseline. */
export const GENERATOR = isInstalled('wrk') ? 'wrk' : 'autocannon';

/** A text of Lua. */
function lua(text: string): string {
  return JSON.stringify(text).replace(/\\u([\da-f]{4})/g, '\\u{$1}');
}

/** The script of wrk: each request has the next number, and the end prints what was answered. */
function scriptFor(request: Request): string {
  const { path, body = '' } = numbered(request);
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `[${lua(name)}]=${lua(value)}`);
  return `
    local number, headers = ${asked}, {${headers.join(',')}}
    local function fill(text) return (text:gsub("${NUMBER}", number)) end
    function request()
      number = number + 1
      return wrk.format(${lua(request.method ?? 'GET')}, fill(${lua(path)}), headers, fill(${lua(body)}))
    end
    function done(summary)
      local errors = summary.errors
      local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
      io.write(string.format("RESULT %d %d %d\\n", summary.requests, summary.duration, failed))
    end`;
}

async function rateByWrk(origin: string, request: Request, seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    writeFileSync(script, scriptFor(request));
    const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, origin];
    const { stdout } = await promisify(execFile)('wrk', options);
    const [requests = 0, microseconds = 1, failed = 0] =
      /RESULT (\d+) (\d+) (\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
    asked += requests + CONNECTIONS;
    if (failed > 0 || requests === 0)
      throw new Error(
        `${request.method ?? 'GET'} ${origin}${request.path}: ${failed} requests failed\n${stdout}`,
      );
    return (requests / microseconds) * 1e6;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function rateByAutocannon(origin: string, request: Request, seconds: number): Promise<number> {
  const { path, method = 'GET' } = request;
  const result = await autocannon({
    url: origin,
    requests: [
      { method, headers: headersOf(request), setupRequest: (sent) => ({ ...sent, ...next(request) }) },
    ],
    connections: CONNECTIONS,
    duration: seconds,
  });
  const wrong = result.non2xx - (result['3xx'] ?? 0) + result.errors;
  if (wrong > 0)
    throw new Error(
      `${method} ${origin}${path}: ${wrong} requests failed, ${result.errors} of them without an answer; ` +
        `by status: ${JSON.stringify(result.statusCodeStats)}`,
    );
  return result.requests.total / result.duration;
}

/** The answered requests per second. @throws Error if one fails */
export const rate = GENERATOR === 'wrk' ? rateByWrk : rateByAutocannon;

export interface Measured {
  /** Requests a second. */
  rate: number;
  answered: number;
  /** The response times in milliseconds, in ascending order. */
  times: number[];
}

/**
 * Sends random requests over 16 connections.
 * @throws Error if one is refused or fails, or a GraphQL answer has errors
 */
export async function mixed(origin: string, draw: () => Request, seconds: number): Promise<Measured> {
  const times: number[] = [];
  const wrong: string[] = [];
  const headers = { authorization: `Bearer ${KEY}`, 'user-agent': BROWSER };
  const result = await autocannon({
    url: origin,
    requests: [
      {
        setupRequest: (sent, context) => {
          const request = draw();
          const { method = 'GET', type } = request;
          Object.assign(context, { request, sent: performance.now() });
          return {
            ...sent,
            ...next(request),
            method,
            headers: type ? { ...headers, 'content-type': type } : headers,
          };
        },
        onResponse: (status, body, context) => {
          const { request, sent } = context as { request: Request; sent: number };
          times.push(performance.now() - sent);
          if (status >= 400 || (request.path === '/graphql' && /"errors":|Error"/.test(body)))
            wrong.push(`${JSON.stringify(request)}: ${status} ${body.slice(0, 500)}`);
        },
      },
    ],
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (wrong.length + result.errors > 0)
    throw new Error(`${wrong.length + result.errors} requests failed: ${wrong[0] ?? 'the connection broke'}`);
  return {
    rate: times.length / result.duration,
    answered: times.length,
    times: times.toSorted((a, b) => a - b),
  };
}
