import type { DomainAppsInput } from '../generated/documents.ts';

// The apps of a domain as people write them, one on each line. The service checks them.

type Listed<Kind extends 'apple' | 'android'> = NonNullable<DomainAppsInput[Kind]>;

/** The lines of a text that say something, with their numbers from 1. */
export function linesIn(text: string): { readonly at: number; readonly line: string }[] {
  return text
    .split('\n')
    .map((line, index) => ({ at: index + 1, line: line.trim() }))
    .filter(({ line }) => line !== '');
}

/** The paths in a text, between which there are commas or blanks; `NOT` belongs to the path after it. */
function pathsIn(text: string): string[] {
  return text
    .replaceAll(/\bNOT\s+/g, 'NOT\u0000')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((path) => path.replace('\u0000', ' '));
}

/** The first word of a line, and the rest. */
function splitLine(line: string): readonly [string, string] {
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(line) ?? [];
  return [first, rest];
}

/** Reads lines such as `ABCDE12345.com.example.app /a/*`. */
export function parseApple(text: string): Listed<'apple'> {
  return linesIn(text).map(({ line }) => {
    const [app, rest] = splitLine(line);
    const [teamId = '', ...bundle] = app.split('.');
    const paths = pathsIn(rest);
    return { teamId, bundleId: bundle.join('.'), ...(paths.length > 0 && { paths }) };
  });
}

/** Reads lines such as `com.example.app 1F:2E:…`. */
export function parseAndroid(text: string): Listed<'android'> {
  return linesIn(text).map(({ line }) => {
    const [name, rest] = splitLine(line);
    return { package: name, fingerprints: rest.split(/[\s,]+/).filter(Boolean) };
  });
}

/** Writes apps as lines. */
export function appleLines(
  apps: readonly { readonly teamId: string; readonly bundleId: string; readonly paths: readonly string[] }[],
): string {
  return apps
    .map(({ teamId, bundleId, paths }) => `${teamId}.${bundleId} ${paths.join(', ')}`.trim())
    .join('\n');
}

export function androidLines(
  apps: readonly { readonly package: string; readonly fingerprints: readonly string[] }[],
): string {
  return apps.map((app) => [app.package, ...app.fingerprints].join(' ')).join('\n');
}
