/** First segments that belong to the service, whatever follows them. Express ignores their case. */
const SERVED = ['api', 'console', 'docs', 'graphql', 'livez', 'readyz', '.well-known'];
/** First segments below which the service answers only some paths: an existing link with one of them works. */
const PARTLY_SERVED = ['auth', 'tls'];
/** Files of the service, at its root. */
const FILES = ['openapi.json', 'schema.graphql', 'favicon.ico', 'inter.woff2', 'robots.txt'];

const served: ReadonlySet<string> = new Set(SERVED);
const files: ReadonlySet<string> = new Set(FILES);
const reserved: ReadonlySet<string> = new Set([...SERVED, ...PARTLY_SERVED, ...FILES]);

/** All first segments that no new link may have, in lower case. */
export const reservedSegments: readonly string[] = [...reserved];

/** The first segment of a path without its first slash, or of an alias. */
function firstSegment(path: string): string {
  const end = path.indexOf('/');
  return (end === -1 ? path : path.slice(0, end)).toLowerCase();
}

/** True if no new link may have this alias, since paths that begin with its first segment are the service's. */
export function isReserved(alias: string): boolean {
  return reserved.has(firstSegment(alias));
}

/** True if the service answers paths that begin with this segment itself. */
export function isServed(segment: string): boolean {
  return served.has(segment.toLowerCase());
}

/** True if a segment is the name of a file of the service. */
export function isFile(segment: string): boolean {
  return files.has(segment.toLowerCase());
}
