-- CreateTable
CREATE TABLE "Change" (
    "id" SERIAL NOT NULL,
    "tx" BIGINT NOT NULL,
    "accountId" INTEGER,
    "at" TIMESTAMP(3) NOT NULL,
    "keyId" INTEGER,
    "action" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "recordId" INTEGER NOT NULL,
    "fields" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "Change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Change_tx_id_idx" ON "Change"("tx", "id");

-- CreateIndex
CREATE INDEX "Change_accountId_tx_id_idx" ON "Change"("accountId", "tx", "id");

-- CreateIndex
CREATE INDEX "Change_accountId_kind_recordId_tx_id_idx" ON "Change"("accountId", "kind", "recordId", "tx", "id");

-- AddForeignKey
ALTER TABLE "Change" ADD CONSTRAINT "Change_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Change" ADD CONSTRAINT "Change_keyId_fkey" FOREIGN KEY ("keyId") REFERENCES "ApiKey"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- The log tells what the number of "links" told, and of which. Who changes links no longer meets in one row.
DROP TRIGGER "Link_changed" ON "Link";
DROP TRIGGER "LinkPixel_changed" ON "LinkPixel";
DROP TRIGGER "Pixel_changed" ON "Pixel";
DROP TRIGGER "Domain_changed" ON "Domain";
DROP FUNCTION "revise_links"();
DELETE FROM "Revision" WHERE "topic" = 'links';
INSERT INTO "Revision" ("topic") VALUES ('changes');
