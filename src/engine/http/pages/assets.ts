import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { builtFile } from '../../tools/own-files.ts';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  woff2: 'font/woff2',
};

/** Files and their compressed versions, read at the first request. */
const files = new Map<string, Buffer | null>();

/** Open files of the build that were not read yet. */
const opened = new Map<string, number>();

/** Opens all files of the build: they can be read also when another build has replaced them. */
export function openAssets(): void {
  for (const folder of ['assets', 'console', 'console/assets'])
    for (const entry of readdirSync(builtFile(`generated/${folder}`), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isFile() && !files.has(name) && !opened.has(name))
        opened.set(name, openSync(builtFile(`generated/${name}`), 'r'));
    }
}

function read(name: string): Buffer | null {
  const known = files.get(name);
  if (known !== undefined) return known;
  const file = opened.get(name);
  let content: Buffer | null = null;
  try {
    content = readFileSync(file ?? builtFile(`generated/${name}`));
  } catch {
    // Unknown names are not cached, since anyone can request any number of them.
    return null;
  }
  files.set(name, content);
  if (file !== undefined) closeSync(file);
  opened.delete(name);
  return content;
}

/** True for files that are compressed by themselves. */
const isCompressed = (extension: string): boolean => ['png', 'woff2'].includes(extension);

/** The best available encoding that the client accepts. */
function encodingFor({ headers }: IncomingMessage): 'br' | 'gzip' | null {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b(?![ \t]*;[ \t]*q=0(\.0*)?[ \t]*(,|$))/.test(accepted)) return 'br';
  return /\bgzip\b(?![ \t]*;[ \t]*q=0(\.0*)?[ \t]*(,|$))/.test(accepted) ? 'gzip' : null;
}

const suffixes = { br: '.br', gzip: '.gz' } as const;

/**
 * Answers with a file of the build, and the status that the response has; false if there is none of that name.
 * @param folder below the folder of generated files
 */
export function sendAsset(
  req: IncomingMessage,
  res: ServerResponse,
  name: string,
  headers: Readonly<Record<string, string>>,
  folder = 'assets',
): boolean {
  const [, extension = ''] = /^[\w-]+\.(css|html|js|json|png|woff2)$/.exec(name) ?? [];
  const type = types[extension];
  const encoding = isCompressed(extension) ? null : encodingFor(req);
  const content = type === undefined ? null : read(`${folder}/${name}${encoding ? suffixes[encoding] : ''}`);
  if (type === undefined || content === null) return false;
  res.writeHead(res.statusCode, {
    'Content-Type': type,
    'Content-Length': content.length,
    Vary: 'Accept-Encoding',
    ...(encoding && { 'Content-Encoding': encoding }),
    ...headers,
  });
  res.end(req.method === 'HEAD' ? undefined : content);
  return true;
}
