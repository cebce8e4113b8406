import { z } from 'zod';
import { listSchema, textSchema, trimPasted } from '../../engine/rules/input.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import { refusal } from '../rules.ts';

// Apps that open the links of a domain on phones: Universal Links of Apple, and App Links of Android. Each system asks the host for a
// file that names them.

/** Maximum number of apps of a system, of paths of an app, and of its fingerprints. */
export const MAX_APPS = 20;
/** Maximum size of all apps of a domain as JSON, in bytes: each process may cache them for 10,000 domains. */
const MAX_BYTES = 16_384;

/** A text that matches a pattern. */
const matching = (max: number, pattern: RegExp, wrong: Refusal, trimmed = trimPasted) =>
  textSchema(1, max, trimmed)
    .refine((text) => text === '' || pattern.test(text), wrong)
    .meta({ pattern: pattern.source });

const teamId = matching(100, /^[A-Z0-9]{10}$/, refusal('APP_TEAM')).describe(
  'The id of the team in the App Store: ten capital letters and digits.',
);
const bundleId = matching(155, /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, refusal('APP_BUNDLE')).describe(
  'The bundle id of the app, such as `com.example.app`, without `*`.',
);
const path = matching(255, /^(NOT )?(\*|\/[\w.~!$&'()*+,;=:@%/?-]*)$/, refusal('APP_PATH'));
const packageName = matching(
  223,
  /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/,
  refusal('APP_PACKAGE'),
).describe('The package name of the app, such as `com.example.app`.');
const fingerprint = matching(200, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/, refusal('APP_FINGERPRINT'), (text) =>
  trimPasted(text).toUpperCase(),
);

/** A list with at least one entry. */
const filled = <Item extends z.ZodType>(item: Item) =>
  listSchema(item, MAX_APPS).refine((list) => list.length > 0, refusal('NO_ENTRIES'));

/** A list of apps, none of which is there twice. */
const distinct = <App extends z.ZodType>(app: App, keyOf: (one: z.output<App>) => string) =>
  listSchema(app, MAX_APPS).superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [index, one] of list.entries()) {
      const key = keyOf(one);
      if (seen.has(key)) context.addIssue({ ...refusal('DUPLICATE').issue, path: [index] });
      seen.add(key);
    }
  });

const ALL_PATHS = ['*'];

export const appleApp = z
  .object({
    teamId,
    bundleId,
    paths: filled(path)
      .nullish()
      .transform((paths) => paths ?? ALL_PATHS)
      .describe(
        'The paths that the app opens, the first that matches counts: `/a/*`, `NOT /b/*`, or `*`, which is the default. `*` stands for any characters, `?` for one.',
      ),
  })
  .meta({ title: 'AppleApp', description: 'An app for iOS, iPadOS or macOS.' });

export const androidApp = z
  .object({
    package: packageName,
    fingerprints: filled(fingerprint).describe(
      'The SHA-256 fingerprints of its certificates: 32 bytes in hexadecimal with colons between them.',
    ),
  })
  .meta({ title: 'AndroidApp', description: 'An app for Android.' });

const size = (apps: unknown) => Buffer.byteLength(JSON.stringify(apps));

export const appsInput = z
  .object({
    apple: distinct(appleApp, (app) => `${app.teamId}.${app.bundleId}`)
      .nullish()
      .describe(`Apps for iOS, iPadOS and macOS, at most ${MAX_APPS}.`),
    android: distinct(androidApp, (app) => app.package)
      .nullish()
      .describe(`Apps for Android, at most ${MAX_APPS}.`),
  })
  .meta({ title: 'DomainApps', description: 'The apps that open the links of a domain on phones.' });

const bounded = appsInput.superRefine((apps, context) => {
  const length = size(apps);
  if (length > MAX_BYTES) context.addIssue(refusal('APPS_SIZE', { max: MAX_BYTES, length }).issue);
});

export interface AppleApp {
  readonly teamId: string;
  readonly bundleId: string;
  readonly paths: readonly string[];
}

export interface AndroidApp {
  readonly package: string;
  readonly fingerprints: readonly string[];
}

export interface DomainApps {
  readonly apple: readonly AppleApp[];
  readonly android: readonly AndroidApp[];
}

const NO_APPS: DomainApps = { apple: [], android: [] };

/** The column of apps, in a form of its own for equal apps; null for none. */
export function encodeApps({ apple, android }: z.output<typeof appsInput>): string | null {
  const apps: DomainApps = { apple: apple ?? [], android: android ?? [] };
  return apps.apple.length + apps.android.length === 0 ? null : JSON.stringify(apps);
}

/** The input of a domain's apps, as its column; null clears them. */
export const appsColumn = bounded
  .transform(encodeApps)
  .describe(
    'The apps that open its links on phones, all of them: what is not given is cleared. Only on a verified domain.',
  )
  .nullish();

/** The apps in the column of a domain. */
export function readApps({ apps }: Pick<Domain, 'apps'>): DomainApps {
  return apps === null ? NO_APPS : JSON.parse(apps);
}

/** The files that systems ask a host for, by their names below `/.well-known/`. */
export const appFiles = {
  'apple-app-site-association': ({ apple }: DomainApps) =>
    apple.length === 0 ? null : { applinks: { details: apple.map(describeAppleApp) } },
  'assetlinks.json': ({ android }: DomainApps) =>
    android.length === 0 ? null : android.map(describeAndroidApp),
} as const;

export type AppFile = keyof typeof appFiles;

/** An app as iOS 13 and later read it, and as earlier versions do. */
function describeAppleApp({ teamId: team, bundleId: bundle, paths }: AppleApp): object {
  const id = `${team}.${bundle}`;
  const components = paths.map((one) => {
    const pattern = one.replace(/^NOT /, '');
    return { '/': pattern, ...(pattern !== one && { exclude: true }) };
  });
  return { appIDs: [id], components, appID: id, paths };
}

function describeAndroidApp({ package: name, fingerprints }: AndroidApp): object {
  return {
    relation: ['delegate_permission/common.handle_all_urls'],
    target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
  };
}
