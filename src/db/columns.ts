import { columnsIn, type Sql } from '../engine/db/sql.ts';
import { Prisma } from '../generated/sqlite/client.ts';

function listed(table: string, columns: Readonly<Record<string, string>>): Sql {
  return columnsIn(table, Object.values(columns));
}

/** All columns of the tables whose rows lists have. */
export const columnsOf = {
  Link: listed('Link', Prisma.LinkScalarFieldEnum),
  Space: listed('Space', Prisma.SpaceScalarFieldEnum),
  Tag: listed('Tag', Prisma.TagScalarFieldEnum),
  Pixel: listed('Pixel', Prisma.PixelScalarFieldEnum),
  UtmTemplate: listed('UtmTemplate', Prisma.UtmTemplateScalarFieldEnum),
  SavedOperation: listed('SavedOperation', Prisma.SavedOperationScalarFieldEnum),
  SavedView: listed('SavedView', Prisma.SavedViewScalarFieldEnum),
  Domain: listed('Domain', Prisma.DomainScalarFieldEnum),
  Membership: listed('Membership', Prisma.MembershipScalarFieldEnum),
  Invitation: listed('Invitation', Prisma.InvitationScalarFieldEnum),
  ApiKey: listed('ApiKey', Prisma.ApiKeyScalarFieldEnum),
  Change: listed('Change', Prisma.ChangeScalarFieldEnum),
  Webhook: listed('Webhook', Prisma.WebhookScalarFieldEnum),
  WebhookDelivery: listed('WebhookDelivery', Prisma.WebhookDeliveryScalarFieldEnum),
};
