-- DropIndex
DROP INDEX "WebhookDelivery_webhookId_kind_recordId_status_id_idx";

-- DropIndex
DROP INDEX "WebhookDelivery_webhookId_status_nextAttemptAt_id_idx";

-- Pending deliveries alone, in the order in which they are due, and by their record: of a webhook's deliveries most have ended,
-- and no statement has to read those again.
CREATE INDEX "WebhookDelivery_due" ON "WebhookDelivery" ("webhookId", "nextAttemptAt", "id") WHERE "status" = 'PENDING';
CREATE INDEX "WebhookDelivery_waiting" ON "WebhookDelivery" ("webhookId", "kind", "recordId", "id", "nextAttemptAt") WHERE "status" = 'PENDING';
