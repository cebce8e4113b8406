-- Added in place, not by new tables: those would lose the triggers of the old ones.
ALTER TABLE "Account" ADD COLUMN "linkCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Space" ADD COLUMN "linkCount" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "Link" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "domainId" INTEGER NOT NULL,
    "spaceId" INTEGER,
    "alias" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "title" TEXT,
    "aliasKey" TEXT NOT NULL,
    "urlKey" TEXT NOT NULL,
    "titleKey" TEXT,
    "password" TEXT,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "privacy" TEXT NOT NULL DEFAULT 'PUBLIC',
    "privacyPassword" TEXT,
    "expirationUrl" TEXT,
    "expiresAt" DATETIME,
    "expirationClicks" INTEGER,
    "targetType" TEXT NOT NULL DEFAULT 'NONE',
    "countries" TEXT NOT NULL DEFAULT '[]',
    "platforms" TEXT NOT NULL DEFAULT '[]',
    "languages" TEXT NOT NULL DEFAULT '[]',
    "rotation" TEXT NOT NULL DEFAULT '[]',
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "Link_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Link_domainId_fkey" FOREIGN KEY ("domainId") REFERENCES "Domain" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "Link_spaceId_fkey" FOREIGN KEY ("spaceId") REFERENCES "Space" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "LinkPixel" (
    "linkId" INTEGER NOT NULL,
    "pixelId" INTEGER NOT NULL,

    PRIMARY KEY ("linkId", "pixelId"),
    CONSTRAINT "LinkPixel_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "Link" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "LinkPixel_pixelId_fkey" FOREIGN KEY ("pixelId") REFERENCES "Pixel" ("id") ON DELETE CASCADE ON UPDATE CASCADE
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

-- The numbers of an account's and of a space's links, kept with every change of them.
CREATE TRIGGER "Link_counted" AFTER INSERT ON "Link" BEGIN
  UPDATE "Account" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."accountId";
  UPDATE "Space" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."spaceId";
END;
CREATE TRIGGER "Link_uncounted" AFTER DELETE ON "Link" BEGIN
  UPDATE "Account" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."accountId";
  UPDATE "Space" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."spaceId";
END;
CREATE TRIGGER "Link_moved" AFTER UPDATE OF "spaceId" ON "Link" WHEN OLD."spaceId" IS NOT NEW."spaceId" BEGIN
  UPDATE "Space" SET "linkCount" = "linkCount" - 1 WHERE "id" = OLD."spaceId";
  UPDATE "Space" SET "linkCount" = "linkCount" + 1 WHERE "id" = NEW."spaceId";
END;
