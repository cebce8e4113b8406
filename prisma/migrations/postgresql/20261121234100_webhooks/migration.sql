-- CreateTable
CREATE TABLE "Webhook" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "url" TEXT COLLATE "C" NOT NULL,
    "events" TEXT COLLATE "C" NOT NULL,
    "secret" TEXT COLLATE "C" NOT NULL,
    "oldSecret" TEXT COLLATE "C",
    "oldSecretUntil" TIMESTAMP(3),
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "WebhookQueue" (
    "webhookId" INTEGER NOT NULL,
    "listening" BOOLEAN NOT NULL DEFAULT false,
    "dueAt" TIMESTAMP(3),
    "claimedBy" TEXT COLLATE "C",
    "claimedUntil" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),

    CONSTRAINT "WebhookQueue_pkey" PRIMARY KEY ("webhookId")
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "id" SERIAL NOT NULL,
    "webhookId" INTEGER NOT NULL,
    "messageId" TEXT COLLATE "C" NOT NULL,
    "event" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "recordId" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAt" TIMESTAMP(3) NOT NULL,
    "lastAttemptAt" TIMESTAMP(3),
    "responseStatus" INTEGER,
    "error" TEXT COLLATE "C",
    "body" TEXT COLLATE "C",

    CONSTRAINT "WebhookDelivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LogReader" (
    "name" TEXT COLLATE "C" NOT NULL,
    "tx" BIGINT NOT NULL,
    "changeId" INTEGER NOT NULL,

    CONSTRAINT "LogReader_pkey" PRIMARY KEY ("name")
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

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookQueue" ADD CONSTRAINT "WebhookQueue_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "WebhookDelivery" ADD CONSTRAINT "WebhookDelivery_webhookId_fkey" FOREIGN KEY ("webhookId") REFERENCES "Webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
