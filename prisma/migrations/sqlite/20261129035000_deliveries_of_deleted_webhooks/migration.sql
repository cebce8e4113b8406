-- The deliveries of a deleted webhook are left to a job, which deletes them in slices. SQLite drops a foreign key with its table.
CREATE TABLE "new_WebhookDelivery" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "webhookId" INTEGER NOT NULL,
    "messageId" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recordId" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" DATETIME NOT NULL,
    "lastAttemptAt" DATETIME,
    "responseStatus" INTEGER,
    "error" TEXT,
    "body" TEXT,
    "mayJoin" BOOLEAN NOT NULL DEFAULT false
);
INSERT INTO "new_WebhookDelivery" ("id", "webhookId", "messageId", "event", "kind", "recordId", "createdAt", "status", "attempts",
    "failures", "nextAttemptAt", "lastAttemptAt", "responseStatus", "error", "body", "mayJoin")
  SELECT "id", "webhookId", "messageId", "event", "kind", "recordId", "createdAt", "status", "attempts",
    "failures", "nextAttemptAt", "lastAttemptAt", "responseStatus", "error", "body", "mayJoin" FROM "WebhookDelivery";
-- No id is given twice.
DELETE FROM "sqlite_sequence" WHERE "name" = 'new_WebhookDelivery';
INSERT INTO "sqlite_sequence" ("name", "seq")
  SELECT 'new_WebhookDelivery', "seq" FROM "sqlite_sequence" WHERE "name" = 'WebhookDelivery';
DROP TABLE "WebhookDelivery";
ALTER TABLE "new_WebhookDelivery" RENAME TO "WebhookDelivery";
CREATE INDEX "WebhookDelivery_webhookId_id_idx" ON "WebhookDelivery"("webhookId", "id");
CREATE INDEX "WebhookDelivery_due" ON "WebhookDelivery" ("webhookId", "nextAttemptAt", "id") WHERE "status" = 'PENDING';
CREATE INDEX "WebhookDelivery_waiting" ON "WebhookDelivery" ("webhookId", "kind", "recordId", "id", "nextAttemptAt") WHERE "status" = 'PENDING';
CREATE INDEX "WebhookDelivery_joined" ON "WebhookDelivery" ("webhookId", "kind", "recordId") WHERE "mayJoin";
