// The rules for values of environment variables. Their errors end the sentence "NAME is VALUE; it may be …".

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isDatabaseUrl, POSTGRESQL_URL, providerOf } from './db/url.ts';
import { isRole, type RoleRule, roles } from './domain/access/role.ts';
import { hostOf, isHostName, isLoopback, MAX_URL, sendableAddress, withoutPort } from './domain/url.ts';

const text = z.string();

export function integer(min: number, max: number, orElse = '') {
  const allowed = `${orElse}a whole number from ${min} to ${max}`;
  return text
    .regex(/^\d{1,10}$/, allowed)
    .transform(Number)
    .refine((value) => value >= min && value <= max, allowed);
}

const flags: Record<string, boolean> = { on: true, true: true, 1: true, off: false, false: false, 0: false };

export const flag = text
  .refine((value) => Object.hasOwn(flags, value), 'on or off')
  .transform((value) => flags[value] === true);

/** The maximum number of workers: the primary cannot distribute connections to more. */
const MAX_WORKERS = 64;

export const workers = text
  .transform((value) => (value === 'auto' ? String(Math.min(availableParallelism(), MAX_WORKERS)) : value))
  .pipe(integer(1, MAX_WORKERS, 'auto, or '));

export const host = text.refine(
  (value) => isIP(value) !== 0 || /^\w([\w.-]*[\w.])?$/.test(value),
  'a host name or an IP address, without a port',
);

/** Whether a URL's host is a name, or an address in its usual form: parsers read a single number as an IPv4 address. */
function hasValidHost(url: string): boolean {
  const host = withoutPort(hostOf(url));
  if (host.startsWith('[') || /(^|\.)localhost$/.test(host)) return true;
  return isIP(host) === 0 ? isHostName(host) : url.includes(host);
}

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || URL.parse(value) === null) return false;
  const { pathname, search, hash, username, password, port } = new URL(value);
  return port !== '0' && hasValidHost(value) && `${pathname}${search}${hash}${username}${password}` === '/';
}

export const origin = text
  .refine(isOrigin, 'an http or https URL without a path, such as https://s.example')
  .transform((url) => `${new URL(url).protocol}//${hostOf(url)}`);

export const smtpUrl = text.refine(
  (value) => /^smtps?:\/\/[^/]/.test(value) && URL.canParse(value),
  'an address such as smtps://USER:PASSWORD@mail.example:465',
);

export const mailAddress = text.refine(
  (value) => /^([^<>\p{C}]*<[^<>@\s\p{C}]+@[^<>@\s\p{C}]+>|[^<>@\s\p{C}]+@[^<>@\s\p{C}]+)$/u.test(value),
  'an address such as Linkspace <links@s.example>',
);

/** A list separated by commas. */
const list = text.transform((values) => values.split(',').map((value) => value.trim()));

export const origins = list.refine(
  (values) => values.every((value) => isOrigin(value) && new URL(value).origin === value),
  'a list of origins such as https://app.example, separated by commas',
);

export const absoluteUrl = text
  .refine(
    (value) => sendableAddress.safeParse(value).success,
    `an absolute http or https URL of ${MAX_URL} characters at most`,
  )
  .transform((value) => sendableAddress.parse(value));

const isPostgresqlUrl = (url: string) => providerOf(url) === 'postgresql' && isDatabaseUrl(url);

export const postgresqlUrl = text.refine(isPostgresqlUrl, POSTGRESQL_URL);

export const postgresqlUrls = list.refine(
  (urls) => urls.every(isPostgresqlUrl),
  `URLs separated by commas, each ${POSTGRESQL_URL}`,
);

/** Whether it is an address, a range of addresses, or one of Express's names for ranges. */
function isProxy(value: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true;
  const [address = '', bits = '1', ...rest] = value.split('/');
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  // A range of all addresses is refused, since then everybody could forge the headers.
  return rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= widest;
}

/** Express's `trust proxy`: off, a number of hops, or addresses. */
export const trustProxy = text
  .refine(
    (value) => /^(off|false|[1-9]\d?)$/.test(value) || value.split(',').every((part) => isProxy(part.trim())),
    'off, how many proxies stand in front, or a list of addresses such as 10.0.0.0/8,loopback',
  )
  .transform((value): false | number | string => {
    if (value === 'off' || value === 'false') return false;
    return /^\d+$/.test(value) ? Number(value) : value;
  });

export const ISSUER =
  'the https URL of an OpenID provider, as it names itself, without a query; http only on this machine';

export const issuer = text
  .refine((value) => {
    const url = URL.parse(value);
    if (url === null || !hasValidHost(value) || /[?#]/.test(value) || url.username || url.password)
      return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(value));
  }, ISSUER)
  .transform((value) => value.replace(/\/\.well-known\/openid-configuration$/, ''));

/** The last colon and the last equals sign count: values and accounts may have others. */
const ROLE_RULE = /^(.+)=([^=]+):([a-z]+)$/is;

function roleRuleOf(text: string): RoleRule | null {
  const [, value = '', account = '', name = ''] = ROLE_RULE.exec(text) ?? [];
  const role = name.trim().toUpperCase();
  return isRole(role) ? { value: value.trim(), account: account.trim(), role } : null;
}

export const oidcRoles = list
  .transform((values) => values.map(roleRuleOf))
  .refine(
    (rules) => rules.every((rule) => rule !== null && rule.value !== '' && rule.account !== ''),
    `a list of VALUE=ACCOUNT:ROLE, separated by commas, with one of the roles ${Object.keys(roles).join(', ').toLowerCase()}`,
  )
  .transform((rules) => rules.filter((rule) => rule !== null));

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const logLevel = z.enum(logLevels, `one of ${logLevels.join(', ')}`);
