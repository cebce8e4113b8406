-- AlterTable
ALTER TABLE "Change" ADD COLUMN "webhookEvents" TEXT;

-- AlterTable
ALTER TABLE "WebhookQueue" ADD COLUMN "events" TEXT NOT NULL DEFAULT '';
ALTER TABLE "WebhookQueue" ADD COLUMN "changeId" INTEGER NOT NULL DEFAULT 0;

-- The events in effect are now those of the place that the reader of the log has reached. Changes that it has not reached yet are
-- those of about the last second: for them, the events of today count.
UPDATE "WebhookQueue" SET "events" = "Webhook"."events"
FROM "Webhook" WHERE "Webhook"."id" = "webhookId" AND "listening" AND NOT "disabled";

-- Webhooks whose creation it has not reached.
UPDATE "Change" SET "webhookEvents" = CASE WHEN "disabled" THEN '' ELSE "events" END
FROM (
  SELECT "Webhook"."id", "accountId" AS "owner", "disabled", "Webhook"."events"
  FROM "Webhook" JOIN "WebhookQueue" ON "webhookId" = "Webhook"."id" WHERE NOT "listening"
) AS "new"
WHERE "accountId" = "owner" AND "kind" = 'WEBHOOK' AND "recordId" = "new"."id" AND "action" = 'CREATED';

ALTER TABLE "WebhookQueue" DROP COLUMN "listening";
