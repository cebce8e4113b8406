-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "createdByKeyId" INTEGER REFERENCES "ApiKey" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "Webhook" ADD COLUMN "createdByUserId" INTEGER REFERENCES "User" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "Webhook" ADD COLUMN "changedByKeyId" INTEGER REFERENCES "ApiKey" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "Webhook" ADD COLUMN "changedByUserId" INTEGER REFERENCES "User" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "Webhook_createdByKeyId_idx" ON "Webhook"("createdByKeyId");

-- CreateIndex
CREATE INDEX "Webhook_createdByUserId_idx" ON "Webhook"("createdByUserId");

-- CreateIndex
CREATE INDEX "Webhook_changedByKeyId_idx" ON "Webhook"("changedByKeyId");

-- CreateIndex
CREATE INDEX "Webhook_changedByUserId_idx" ON "Webhook"("changedByUserId");

-- Who made webhooks, and last set their URL or secret, as far as the log of changes tells.
UPDATE "Webhook" SET ("createdByKeyId", "createdByUserId") = (
  SELECT "keyId", COALESCE("userId", (
    SELECT "Membership"."userId" FROM "ApiKey" JOIN "Membership" ON "Membership"."id" = "ApiKey"."makerId"
    WHERE "ApiKey"."id" = "Change"."keyId"
  )) FROM "Change"
  WHERE "Change"."accountId" = "Webhook"."accountId" AND "kind" = 'WEBHOOK' AND "recordId" = "Webhook"."id"
    AND "action" = 'CREATED'
  ORDER BY "Change"."id" DESC LIMIT 1
);
UPDATE "Webhook" SET ("changedByKeyId", "changedByUserId") = (
  SELECT "keyId", COALESCE("userId", (
    SELECT "Membership"."userId" FROM "ApiKey" JOIN "Membership" ON "Membership"."id" = "ApiKey"."makerId"
    WHERE "ApiKey"."id" = "Change"."keyId"
  )) FROM "Change"
  WHERE "Change"."accountId" = "Webhook"."accountId" AND "kind" = 'WEBHOOK' AND "recordId" = "Webhook"."id"
    AND ("action" = 'CREATED' OR "fields" LIKE '%"url"%' OR "fields" LIKE '%"secret"%')
  ORDER BY "Change"."id" DESC LIMIT 1
);
