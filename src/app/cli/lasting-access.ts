import type { findLastingAccess } from '../../domain/access/lasting-access.ts';
import { plainLine } from '../../engine/rules/input.ts';
import { table } from './terminal.ts';

type Lasting = Awaited<ReturnType<typeof findLastingAccess>>;
type Webhooks = readonly { readonly id: number; readonly url: string; readonly account: { name: string } }[];

/** Webhooks as JSON. */
export const webhooksAsJson = (webhooks: Webhooks) =>
  webhooks.map(({ id, url, account }) => ({ id, url, account: account.name }));

/** The things that a person made and that outlast their sessions, as JSON. */
export function lastingAsJson({ keys, invitations, webhooks }: Lasting) {
  return {
    keys: keys.map(({ id, name, prefix, role, account }) => ({
      id,
      name,
      prefix,
      role,
      account: account.name,
    })),
    invitations: invitations.map(({ id, email, role, account }) => ({
      id,
      email,
      role,
      account: account.name,
    })),
    webhooks: webhooksAsJson(webhooks),
  };
}

function lines(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const text = table(rows).replace(/^/gm, '  ');
  return `\n${title}\n\n${text}\n`;
}

/** Webhooks that go on, for people; empty if there are none. */
export function webhooksAsText(title: string, webhooks: Webhooks): string {
  return lines(
    title,
    webhooks.map(({ id, url, account }) => [`webhook ${id}`, plainLine(account.name), plainLine(url)]),
  );
}

/** Lines for people about what a person made that outlasts their sessions; none if there is nothing. */
export function lastingAsText(title: string, { keys, invitations, webhooks }: Lasting): string {
  return lines(title, [
    ...keys.map(({ id, name, prefix, account }) => [
      ...[`key ${id}`, plainLine(account.name), `${prefix}… ${plainLine(name ?? '')}`],
    ]),
    ...invitations.map(({ id, email, role, account }) => [
      ...[`invitation ${id}`, plainLine(account.name), `${email} (${role.toLowerCase()})`],
    ]),
    ...webhooks.map(({ id, url, account }) => [
      ...[`webhook ${id}`, plainLine(account.name), plainLine(url)],
    ]),
  ]);
}
