-- CreateTable
CREATE TABLE "Change" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "tx" BIGINT NOT NULL,
    "accountId" INTEGER,
    "at" DATETIME NOT NULL,
    "keyId" INTEGER,
    "action" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recordId" INTEGER NOT NULL,
    "fields" TEXT NOT NULL,
    CONSTRAINT "Change_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Change_keyId_fkey" FOREIGN KEY ("keyId") REFERENCES "ApiKey" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "Change_tx_id_idx" ON "Change"("tx", "id");

-- CreateIndex
CREATE INDEX "Change_accountId_tx_id_idx" ON "Change"("accountId", "tx", "id");

-- CreateIndex
CREATE INDEX "Change_accountId_kind_recordId_tx_id_idx" ON "Change"("accountId", "kind", "recordId", "tx", "id");

-- The log tells what the number of "links" told, and of which.
DROP TRIGGER "Link_changed";
DROP TRIGGER "Link_deleted";
DROP TRIGGER "LinkPixel_changed";
DROP TRIGGER "LinkPixel_deleted";
DROP TRIGGER "Pixel_changed";
DROP TRIGGER "Domain_added";
DROP TRIGGER "Domain_changed";
DROP TRIGGER "Domain_deleted";
DELETE FROM "Revision" WHERE "topic" = 'links';
INSERT INTO "Revision" ("topic") VALUES ('changes');
