-- The deliveries of a deleted webhook are left to a job, which deletes them in slices.
ALTER TABLE "WebhookDelivery" DROP CONSTRAINT "WebhookDelivery_webhookId_fkey";
