-- AlterTable
ALTER TABLE "Account" ADD COLUMN     "linkCount" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "Space" ADD COLUMN     "linkCount" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "Link" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "domainId" INTEGER NOT NULL,
    "spaceId" INTEGER,
    "alias" TEXT COLLATE "C" NOT NULL,
    "url" TEXT COLLATE "C" NOT NULL,
    "title" TEXT COLLATE "C",
    "aliasKey" TEXT COLLATE "C" NOT NULL,
    "urlKey" TEXT COLLATE "C" NOT NULL,
    "titleKey" TEXT COLLATE "C",
    "password" TEXT COLLATE "C",
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "privacy" TEXT COLLATE "C" NOT NULL DEFAULT 'PUBLIC',
    "privacyPassword" TEXT COLLATE "C",
    "expirationUrl" TEXT COLLATE "C",
    "expiresAt" TIMESTAMP(3),
    "expirationClicks" INTEGER,
    "targetType" TEXT COLLATE "C" NOT NULL DEFAULT 'NONE',
    "countries" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "platforms" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "languages" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "rotation" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Link_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LinkPixel" (
    "linkId" INTEGER NOT NULL,
    "pixelId" INTEGER NOT NULL,

    CONSTRAINT "LinkPixel_pkey" PRIMARY KEY ("linkId","pixelId")
);

-- CreateIndex
CREATE INDEX "Link_accountId_id_idx" ON "Link"("accountId", "id");

-- CreateIndex
CREATE INDEX "Link_accountId_aliasKey_id_idx" ON "Link"("accountId", "aliasKey", "id");

-- CreateIndex
CREATE INDEX "Link_accountId_titleKey_id_idx" ON "Link"("accountId", "titleKey", "id");

-- CreateIndex
CREATE INDEX "Link_accountId_clicks_id_idx" ON "Link"("accountId", "clicks", "id");

-- CreateIndex
CREATE INDEX "Link_spaceId_id_idx" ON "Link"("spaceId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Link_domainId_alias_key" ON "Link"("domainId", "alias");

-- CreateIndex
CREATE INDEX "LinkPixel_pixelId_idx" ON "LinkPixel"("pixelId");

-- AddForeignKey
ALTER TABLE "Link" ADD CONSTRAINT "Link_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Link" ADD CONSTRAINT "Link_domainId_fkey" FOREIGN KEY ("domainId") REFERENCES "Domain"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Link" ADD CONSTRAINT "Link_spaceId_fkey" FOREIGN KEY ("spaceId") REFERENCES "Space"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LinkPixel" ADD CONSTRAINT "LinkPixel_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "Link"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "LinkPixel" ADD CONSTRAINT "LinkPixel_pixelId_fkey" FOREIGN KEY ("pixelId") REFERENCES "Pixel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The numbers of an account's and of a space's links, kept with every change of them.
CREATE FUNCTION "count_link"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE "Account" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."accountId";
    UPDATE "Space" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."spaceId";
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE "Account" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."accountId";
    UPDATE "Space" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."spaceId";
  ELSE
    -- In the order of their ids: two links that change places would wait for each other.
    PERFORM 1 FROM "Space" WHERE "id" IN (OLD."spaceId", NEW."spaceId") ORDER BY "id" FOR NO KEY UPDATE;
    UPDATE "Space" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."spaceId";
    UPDATE "Space" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."spaceId";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_counted" AFTER INSERT OR DELETE ON "Link"
  FOR EACH ROW EXECUTE FUNCTION "count_link"();
CREATE TRIGGER "Link_moved" AFTER UPDATE OF "spaceId" ON "Link"
  FOR EACH ROW WHEN (OLD."spaceId" IS DISTINCT FROM NEW."spaceId") EXECUTE FUNCTION "count_link"();
