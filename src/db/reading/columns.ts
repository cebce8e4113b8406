import { Prisma } from '../../generated/sqlite/client.ts';
import { raw, type Sql } from '../sql.ts';

export function columnsIn(table: string, columns: readonly string[]): Sql {
  return raw(columns.map((column) => `"${table}"."${column}"`).join(', '));
}

function listed(table: string, columns: Readonly<Record<string, string>>): Sql {
  return columnsIn(table, Object.values(columns));
}

/**
 * All columns of a table, by name: with `*`, a prepared statement would get additional columns when a new version adds
 * some.
 */
export const columnsOf = {
  Link: listed('Link', Prisma.LinkScalarFieldEnum),
  Space: listed('Space', Prisma.SpaceScalarFieldEnum),
  Pixel: listed('Pixel', Prisma.PixelScalarFieldEnum),
  Domain: listed('Domain', Prisma.DomainScalarFieldEnum),
  Membership: listed('Membership', Prisma.MembershipScalarFieldEnum),
  Invitation: listed('Invitation', Prisma.InvitationScalarFieldEnum),
  ApiKey: listed('ApiKey', Prisma.ApiKeyScalarFieldEnum),
  Change: listed('Change', Prisma.ChangeScalarFieldEnum),
  Webhook: listed('Webhook', Prisma.WebhookScalarFieldEnum),
  WebhookDelivery: listed('WebhookDelivery', Prisma.WebhookDeliveryScalarFieldEnum),
};

/**
 * Columns of a joined record, as an object of its own in a row (see `readRows`). The id is always included, since it says
 * whether the record exists.
 * @param alias the table's alias in the statement
 * @param of the object's name
 */
export function nestedColumns(alias: string, of: string, columns: readonly string[]): Sql {
  const all = ['id', ...columns.filter((column) => column !== 'id')];
  return raw(all.map((column) => `"${alias}"."${column}" AS "${of}.${column}"`).join(', '));
}
