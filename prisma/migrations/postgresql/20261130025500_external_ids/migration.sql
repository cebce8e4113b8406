-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "externalId" TEXT COLLATE "C";

-- The unique ids of accounts. Most links have none, and are not in the index.
CREATE UNIQUE INDEX "Link_external_ids" ON "Link" ("accountId", "externalId") WHERE "externalId" IS NOT NULL;
