import {
  createKeyByOperator,
  type KeyView,
  listKeys,
  revokeAllKeys,
  revokeKey,
} from '../../domain/access/api-key.ts';
import { isScope, type Scope } from '../../domain/access/role.ts';
import { isoTime } from '../../domain/transfer/times.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { plainLine } from '../../engine/rules/input.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { command, UsageError } from './command.ts';
import { accountNamed, withDatabase } from './database.ts';
import { webhooksAsJson, webhooksAsText } from './lasting-access.ts';
import { newAccount, newAccountHelp, newAccountOption, told } from './new-account.ts';
import { counted, table } from './terminal.ts';

const help = `Usage: npm run keys -- create --account NAME [--scopes read,write] [--expires DATE] [--new-account=no]
       npm run keys -- list
       npm run keys -- revoke ID
       npm run keys -- revoke --account NAME --all

  create   creates a key, and the account if it does not exist; the key is printed once
  list     lists all keys, without the keys themselves
  revoke   revokes a key, or all of an account; every process refuses it within a second; lists its webhooks, which go on

  --all          revokes all keys of the account
  --scopes       read, write, or both (default)
  --expires      when the key expires: YYYY-MM-DD or an ISO 8601 time, in UTC
${newAccountHelp}
  --json         prints JSON instead of text`;

function parseDate(text: string): Date {
  const date = isoTime(text);
  if (date === null)
    throw new UsageError(
      `--expires is "${text}"; it may be a date such as 2027-01-31, or an ISO 8601 time in UTC.`,
    );
  return date;
}

function parseScopes(text: string): Scope[] {
  const given = text.split(',').map((scope) => scope.trim());
  if (given.every(isScope)) return given;
  throw new UsageError(`--scopes is "${text}"; it may be read, write, or both: read,write.`);
}

function state(key: KeyView, now: Date): string {
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt <= now ? 'expired' : 'active';
}

function formatKeys(keys: readonly KeyView[], now: Date): string {
  const time = (date: Date | null) => date?.toISOString().slice(0, 16).replace('T', ' ') ?? '–';
  return table([
    [
      'ID',
      'ACCOUNT',
      'PREFIX',
      'SCOPES',
      'STATE',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'ROLE',
      'NAME',
      'MAKER',
    ],
    ...keys.map((key) => [
      ...[String(key.id), key.account, `${key.prefix}…`, key.scopes.join(','), state(key, now)],
      ...[time(key.createdAt), time(key.expiresAt), time(key.lastUsedAt)],
      ...[key.role?.toLowerCase() ?? '–', plainLine(key.name ?? '–'), key.maker ?? '–'],
    ]),
  ]);
}

const KEY = 'Name the key by its ID, as list shows it.';
const GO_ON = 'These webhooks of the key go on, unless an admin disables them in the console:';

const GO_ON_ALL = 'These webhooks of keys go on, unless an admin disables them in the console:';

const options = {
  account: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  all: { type: 'boolean' },
  ...newAccountOption,
} as const;

const verbs = {
  create: { options: ['account', 'scopes', 'expires', 'new-account'] },
  list: {},
  revoke: { options: ['account', 'all'], argument: KEY, mayOmit: true },
};

export const main = command(
  { help, options, verbs },
  async ({ values, verb, argument: id, config, io, show }) => {
    const now = new Date();
    if (verb === 'create') {
      const { account } = values;
      if (account === undefined) throw new UsageError('Name the account: --account NAME.');
      const expiresAt = values.expires === undefined ? null : parseDate(values.expires);
      const scopes = parseScopes(values.scopes ?? 'read,write');
      const [owner, made] = await withDatabase(config, async (db) => [
        await newAccount(db, account, values['new-account'], io),
        await createKeyByOperator(db, { account, scopes, expiresAt }, now),
      ]);
      return show(
        { ...made, created: owner !== null },
        `${told(owner, values.json, io)}Key ${made.id} of the account "${made.account}"; it is shown only now:\n\n  ${made.key}\n`,
        2,
      );
    }
    if (verb === 'list') {
      const keys = await withDatabase(config, listKeys);
      return show(keys, keys.length > 0 ? formatKeys(keys, now) : 'There are no keys.', 2);
    }
    const { account, all } = values;
    if (account !== undefined || all) {
      if (account === undefined || !all || id !== '')
        throw new UsageError('Name one key by its ID, or all keys of an account: --account NAME --all.');
      const { revoked, webhooks } = await withDatabase(config, async (db) =>
        revokeAllKeys(db, (await accountNamed(db, account)).accountId, now),
      );
      return show(
        { account, revoked, webhooks: webhooksAsJson(webhooks) },
        `The account ${JSON.stringify(account)} has no valid key any more; ${counted(revoked, 'key')} revoked.\n${webhooksAsText(GO_ON_ALL, webhooks)}`.trimEnd(),
        2,
      );
    }
    if (id === '') throw new UsageError(KEY);
    const webhooks = await withDatabase(config, (db) => revokeKey(db, id, now)).catch((error: unknown) => {
      if (!(error instanceof DomainError) || error.code !== 'NOT_FOUND') throw error;
      throw new OperatorError(`"${id}" is not the id of a key; this lists them: npm run keys -- list`);
    });
    show(
      { id: Number(id), revoked: true, webhooks: webhooksAsJson(webhooks) },
      `Key ${id} is revoked.\n${webhooksAsText(GO_ON, webhooks)}`.trimEnd(),
      2,
    );
  },
);
