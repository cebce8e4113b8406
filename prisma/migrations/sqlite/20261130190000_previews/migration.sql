-- AlterTable
ALTER TABLE "Link" ADD COLUMN "previewDescription" TEXT;
ALTER TABLE "Link" ADD COLUMN "previewImage" TEXT;
ALTER TABLE "Link" ADD COLUMN "previewTitle" TEXT;

-- CreateTable
CREATE TABLE "ChangeImage" (
    "changeId" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,

    PRIMARY KEY ("changeId", "hash"),
    CONSTRAINT "ChangeImage_changeId_fkey" FOREIGN KEY ("changeId") REFERENCES "ChangeValues" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Image" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "usedAt" DATETIME NOT NULL,
    CONSTRAINT "Image_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "ChangeImage_hash_idx" ON "ChangeImage"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "Image_hash_key" ON "Image"("hash");

-- CreateIndex
CREATE INDEX "Image_accountId_idx" ON "Image"("accountId");

-- CreateIndex
CREATE INDEX "Image_usedAt_idx" ON "Image"("usedAt");

-- Most links have no image.
CREATE INDEX "Link_preview_images" ON "Link" ("previewImage") WHERE "previewImage" IS NOT NULL;
