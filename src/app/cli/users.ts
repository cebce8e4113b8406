import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { recordedAccount } from '../../domain/access/account.ts';
import { resetByOperator } from '../../domain/access/address-change.ts';
import { accountsWithoutOthers, deleteUser } from '../../domain/access/erasure.ts';
import { inviteByOperator } from '../../domain/access/invitation.ts';
import { findLastingAccess } from '../../domain/access/lasting-access.ts';
import { isRole, roles } from '../../domain/access/role.ts';
import {
  emailInput,
  findUserByEmail,
  findUserById,
  listUsers,
  setDisabled,
  signOut,
  signOutAll,
  type User,
} from '../../domain/access/user.ts';
import { exportUser } from '../../domain/access/user-export.ts';
import { OPERATOR, recordingChanges } from '../../domain/change/change.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { parseId, parseInput, plainLine } from '../../engine/rules/input.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { getBaseUrl, getConsoleUrl } from '../config.ts';
import { confirm, isYes as isYesAnswer, yesOption } from './ask.ts';
import { command, type Io, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { lastingAsJson, lastingAsText, webhooksAsJson, webhooksAsText } from './lasting-access.ts';
import { newAccount, newAccountHelp, newAccountOption, told } from './new-account.ts';
import { counted, table } from './terminal.ts';

const roleNames = Object.keys(roles).map((role) => role.toLowerCase());

const help = `Usage: npm run users -- create --email EMAIL --account NAME --role ROLE [--new-account=no]
       npm run users -- list
       npm run users -- reset --email EMAIL | --id ID [--new-email EMAIL]
       npm run users -- disable --email EMAIL | --id ID
       npm run users -- enable --email EMAIL | --id ID
       npm run users -- sign-out --email EMAIL | --id ID | --all
       npm run users -- export --email EMAIL | --id ID
       npm run users -- delete --email EMAIL | --id ID [--yes]

  create   makes an invitation to the account, and the account if it does not exist; prints its link, good for 7 days
  list     lists all users, with their accounts and roles, and the addresses that they had in the last 30 days
  reset    prints a link with which the user sets a new password (with OIDC_ONLY, signs in), good once and for an
           hour; whoever uses it loses all passkeys and, without OIDC_ONLY, the links to the OpenID provider; lists
           the keys, invitations and webhooks of the user, which stay; links that take an address back end
  disable  ends all sessions of the user, who cannot sign in any more; lists their webhooks, which go on
  enable   lets the user sign in again
  sign-out ends all sessions of the user, or of all users; every process refuses them within a second
  export   prints as JSON what is stored of the user: memberships, sessions, passkeys, keys and changes
  delete   ends the memberships and keys of the user, lists them first, and removes name, address and ways to sign in;
           refuses the last owner of an account; the history then names a deleted user

  --email        the user's email address
  --id           the user's id, as list shows it
  --new-email    the address that the user signs in with from now on; ends all sessions and links of the user
  --account      the account, by the name that "npm run accounts -- list" shows
  --role         ${roleNames.join(', ')}
  --all          signs all users out
  --yes          deletes without asking
${newAccountHelp}
  --json         prints JSON instead of text`;

/** @throws DomainError VALIDATION */
const parseEmail = (given: string) => parseInput(z.object({ email: emailInput }), { email: given }).email;

type Listed = Awaited<ReturnType<typeof listUsers>>[number];

function formatUsers(users: readonly Listed[]): string {
  return table([
    ['ID', 'EMAIL', 'NAME', 'STATE', 'ACCOUNTS', 'FORMER EMAILS'],
    ...users.map(({ id, email, name, disabledAt, accounts, formerEmails }) => [
      ...[String(id), email, plainLine(name), disabledAt ? 'disabled' : 'active'],
      accounts.map(({ account, role }) => `${account} (${role.toLowerCase()})`).join(', '),
      formerEmails
        .map((one) => `${one.email} (until ${one.changedAt.toISOString().slice(0, 10)})`)
        .join(', '),
    ]),
  ]);
}

const STOPS = 'These keys and invitations stop:';
const STAYS = 'These stay, unless the user ends them on the page after the reset:';
const GO_ON = 'These webhooks of the user go on, unless an admin disables them in the console:';

const options = {
  email: { type: 'string' },
  id: { type: 'string' },
  'new-email': { type: 'string' },
  account: { type: 'string' },
  role: { type: 'string' },
  all: { type: 'boolean' },
  ...yesOption,
  ...newAccountOption,
} as const;

const verbs = {
  create: { options: ['account', 'role', 'new-account'] },
  list: {},
  reset: { options: ['new-email'] },
  disable: {},
  enable: {},
  'sign-out': { options: ['all'] },
  export: {},
  delete: { options: ['yes'] },
};

/** Deletes a user, once somebody has agreed to what ends with them. */
async function deleteAsked(db: Data, user: User, isYes: boolean | undefined, io: Io, now: Date) {
  const { id, email } = user;
  const alone = await accountsWithoutOthers(db, id);
  if (alone.length > 0)
    throw new OperatorError(
      `${email} is the last owner of ${alone.map((one) => JSON.stringify(one)).join(', ')}: make another one first, or delete the account.`,
    );
  const { webhooks, ...stops } = await findLastingAccess(db, id, now);
  const list = lastingAsText(STOPS, { ...stops, webhooks: [] });
  const goOn = webhooksAsText(GO_ON, webhooks);
  await confirm(io, isYes, `${list}${goOn}\n${email} is deleted for good. Go on? (y/N) `, isYesAnswer);
  await deleteUser(db, id, now);
  const stopped = lastingAsJson({ ...stops, webhooks });
  return { stopped, text: `${email} is deleted.\n${list}${goOn}` };
}

export const main = command({ help, options, verbs }, async ({ values, verb, config, io, print, show }) => {
  const now = new Date();
  if (verb === 'list') {
    const users = await withDatabase(config, (db) => listUsers(db, now));
    return show(users, users.length > 0 ? formatUsers(users) : 'There are no users.', 2);
  }
  const { email, account } = values;
  const page = `${getConsoleUrl({ ...config, baseUrl: getBaseUrl(config) })}/console`;
  const hint =
    config.baseUrl === undefined && config.consoleUrl === undefined
      ? '\nBASE_URL is not set here. If the service has it, or another PORT, set them for this command, too.\n'
      : '';
  if (verb === 'create') {
    if (email === undefined) throw new UsageError('Name the user: --email EMAIL.');
    const role = values.role?.toUpperCase() ?? '';
    if (account === undefined) throw new UsageError('Name the account: --account NAME.');
    if (values.role === undefined) throw new UsageError(`Name the role: --role ${roleNames.join(', ')}.`);
    if (!isRole(role)) throw new UsageError(`--role is "${values.role}"; it may be ${roleNames.join(', ')}.`);
    const [owner, url] = await withDatabase(config, async (db) => [
      await newAccount(db, account, values['new-account'], io),
      // Without an invitation, no account is made either.
      await recordingChanges(db, OPERATOR, now, async (changing) => {
        const { id } = await recordedAccount(changing, account, 'PRIVATE', now);
        const { token } = await inviteByOperator(changing.tx, id, { email, role }, now);
        return `${page}/accept#${token}`;
      }),
    ]);
    return show(
      { email, account, role, url, created: owner !== null },
      `${told(owner, values.json, io)}${email} comes into "${account}" by this link, for 7 days:\n\n  ${url}\n${hint}`,
      2,
    );
  }
  if (verb === 'sign-out' && values.all) {
    if (email !== undefined || values.id !== undefined)
      throw new UsageError('Name the user, or sign all out: --all.');
    const sessions = await withDatabase(config, (db) => signOutAll(db, now));
    return show({ sessions }, `All users are signed out: ${counted(sessions, 'session')} ended.`, 2);
  }
  if ((email === undefined) === (values.id === undefined))
    throw new UsageError('Name the user: --email EMAIL or --id ID.');
  await withDatabase(config, async (db) => {
    const user =
      email === undefined
        ? await findUserById(db, parseId(values.id ?? '') ?? 0)
        : await findUserByEmail(db, email);
    if (user === null)
      throw new OperatorError(
        `There is no user "${email ?? values.id}"; this lists them, with former addresses: npm run users -- list`,
      );
    if (verb === 'reset') {
      if (user.disabledAt !== null)
        throw new OperatorError(`${user.email} is disabled: enable the user first.`);
      const next = values['new-email'] === undefined ? null : parseEmail(values['new-email']);
      const token = await resetByOperator(db, user.id, next, now).catch((error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
        throw new OperatorError(`${next} has a user, or was taken from one within the last 7 days.`);
      });
      const url = `${page}/reset#${token}`;
      const lasting = await findLastingAccess(db, user.id, now);
      const does = config.oidcOnly ? 'signs in' : 'sets a new password';
      return show(
        { id: user.id, email: next ?? user.email, url, stays: lastingAsJson(lasting) },
        `${next ?? user.email} ${does} by this link, once, within an hour:\n\n  ${url}\n${lastingAsText(STAYS, lasting)}${hint}`,
        2,
      );
    }
    if (verb === 'export') return print(JSON.stringify(await exportUser(db, user.id), null, 2));
    if (verb === 'sign-out') {
      const sessions = await signOut(db, user.id, now);
      return show(
        { id: user.id, email: user.email, sessions },
        `${user.email} is signed out: ${counted(sessions, 'session')} ended.`,
        2,
      );
    }
    if (verb === 'delete') {
      const { stopped, text } = await deleteAsked(db, user, values.yes, io, now);
      return show({ id: user.id, email: user.email, deleted: true, ...stopped }, text.trimEnd(), 2);
    }
    await setDisabled(db, user.id, verb === 'disable' ? now : null, now);
    const { webhooks } = verb === 'disable' ? await findLastingAccess(db, user.id, now) : { webhooks: [] };
    show(
      {
        email,
        disabled: verb === 'disable',
        ...(verb === 'disable' && { webhooks: webhooksAsJson(webhooks) }),
      },
      `${user.email} is ${verb}d.\n${webhooksAsText(GO_ON, webhooks)}`.trimEnd(),
      2,
    );
  });
});
