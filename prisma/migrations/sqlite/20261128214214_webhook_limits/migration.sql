-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "disabledReason" TEXT;

-- AlterTable
ALTER TABLE "WebhookDelivery" ADD COLUMN "mayJoin" BOOLEAN NOT NULL DEFAULT false;

-- The updates that others join alone: one for each webhook and record.
CREATE INDEX "WebhookDelivery_joined" ON "WebhookDelivery" ("webhookId", "kind", "recordId") WHERE "mayJoin";

-- The service disables in its own name, without a key or a user.
UPDATE "Webhook" SET "disabledReason" = CASE WHEN (
  SELECT "keyId" IS NULL AND "userId" IS NULL FROM "Change"
  WHERE "Change"."accountId" = "Webhook"."accountId" AND "kind" = 'WEBHOOK' AND "recordId" = "Webhook"."id"
    AND "fields" LIKE '%"disabled"%'
  ORDER BY "Change"."id" DESC LIMIT 1
) THEN 'FAILING' ELSE 'BY_HAND' END WHERE "disabled";
