-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "previewDescription" TEXT COLLATE "C",
ADD COLUMN     "previewImage" TEXT COLLATE "C",
ADD COLUMN     "previewTitle" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "ChangeImage" (
    "changeId" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ChangeImage_pkey" PRIMARY KEY ("changeId","hash")
);

-- CreateTable
CREATE TABLE "Image" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "content" TEXT COLLATE "C" NOT NULL,
    "size" INTEGER NOT NULL,
    "usedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Image_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ChangeImage_hash_idx" ON "ChangeImage"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "Image_hash_key" ON "Image"("hash");

-- CreateIndex
CREATE INDEX "Image_accountId_idx" ON "Image"("accountId");

-- CreateIndex
CREATE INDEX "Image_usedAt_idx" ON "Image"("usedAt");

-- AddForeignKey
ALTER TABLE "ChangeImage" ADD CONSTRAINT "ChangeImage_changeId_fkey" FOREIGN KEY ("changeId") REFERENCES "ChangeValues"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Image" ADD CONSTRAINT "Image_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Most links have no image.
CREATE INDEX "Link_preview_images" ON "Link" ("previewImage") WHERE "previewImage" IS NOT NULL;
