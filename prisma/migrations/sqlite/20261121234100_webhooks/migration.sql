-- CreateTable
CREATE TABLE "Webhook" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "oldSecret" TEXT,
    "oldSecretUntil" DATETIME,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "Webhook_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "WebhookQueue" (
    "webhookId" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "listening" BOOLEAN NOT NULL DEFAULT false,
    "dueAt" DATETIME,
    "claimedBy" TEXT,
    "claimedUntil" DATETIME,
    "failingSince" DATETIME,
    CONSTRAINT "WebhookQueue_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
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
    CONSTRAINT "WebhookDelivery_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "LogReader" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "tx" BIGINT NOT NULL,
    "changeId" INTEGER NOT NULL
);

-- CreateIndex
CREATE INDEX "Webhook_accountId_id_idx" ON "Webhook"("accountId", "id");

-- CreateIndex
CREATE INDEX "WebhookQueue_dueAt_idx" ON "WebhookQueue"("dueAt");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_id_idx" ON "WebhookDelivery"("webhookId", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_status_nextAttemptAt_id_idx" ON "WebhookDelivery"("webhookId", "status", "nextAttemptAt", "id");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_kind_recordId_status_id_idx" ON "WebhookDelivery"("webhookId", "kind", "recordId", "status", "id");
