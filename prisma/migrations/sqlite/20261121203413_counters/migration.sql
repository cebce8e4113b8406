-- CreateTable
CREATE TABLE "LinkCounter" (
    "linkId" INTEGER NOT NULL PRIMARY KEY,
    "accountId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "lastClickedAt" DATETIME,
    CONSTRAINT "LinkCounter_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "Link" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "AccountTally" (
    "accountId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "spaces" INTEGER NOT NULL DEFAULT 0,
    "links" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "slot"),
    CONSTRAINT "AccountTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SpaceTally" (
    "spaceId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("spaceId", "slot"),
    CONSTRAINT "SpaceTally_spaceId_fkey" FOREIGN KEY ("spaceId") REFERENCES "Space" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- What was counted so far.
INSERT INTO "LinkCounter" ("linkId", "accountId", "clicks", "turns") SELECT "id", "accountId", "clicks", "turns" FROM "Link";
INSERT INTO "AccountTally" ("accountId", "slot", "spaces", "links") SELECT "id", 0, "spaceCount", "linkCount" FROM "Account";
INSERT INTO "SpaceTally" ("spaceId", "slot", "links") SELECT "id", 0, "linkCount" FROM "Space";

-- CreateIndex
CREATE INDEX "LinkCounter_accountId_clicks_linkId_idx" ON "LinkCounter"("accountId", "clicks", "linkId");

-- Each change of the number of spaces and links, in the one slot that a database with one writer needs. What is deleted with
-- its account, or space, has none to be counted for.
DROP TRIGGER "Space_counted";
DROP TRIGGER "Space_uncounted";
DROP TRIGGER "Link_counted";
DROP TRIGGER "Link_uncounted";
DROP TRIGGER "Link_moved";
CREATE TRIGGER "Space_counted" AFTER INSERT ON "Space" BEGIN
  INSERT INTO "AccountTally" ("accountId", "slot", "spaces") VALUES (NEW."accountId", 0, 1)
    ON CONFLICT DO UPDATE SET "spaces" = "spaces" + 1;
END;
CREATE TRIGGER "Space_uncounted" AFTER DELETE ON "Space" BEGIN
  UPDATE "AccountTally" SET "spaces" = "spaces" - 1 WHERE "accountId" = OLD."accountId" AND "slot" = 0;
END;
CREATE TRIGGER "Link_counted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkCounter" ("linkId", "accountId") VALUES (NEW."id", NEW."accountId");
  INSERT INTO "AccountTally" ("accountId", "slot", "links") VALUES (NEW."accountId", 0, 1)
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
  INSERT INTO "SpaceTally" ("spaceId", "slot", "links") SELECT NEW."spaceId", 0, 1 WHERE NEW."spaceId" IS NOT NULL
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
CREATE TRIGGER "Link_uncounted" AFTER DELETE ON "Link" BEGIN
  UPDATE "AccountTally" SET "links" = "links" - 1 WHERE "accountId" = OLD."accountId" AND "slot" = 0;
  UPDATE "SpaceTally" SET "links" = "links" - 1 WHERE "spaceId" = OLD."spaceId" AND "slot" = 0;
END;
CREATE TRIGGER "Link_moved" AFTER UPDATE OF "spaceId" ON "Link" WHEN OLD."spaceId" IS NOT NEW."spaceId" BEGIN
  UPDATE "SpaceTally" SET "links" = "links" - 1 WHERE "spaceId" = OLD."spaceId" AND "slot" = 0;
  INSERT INTO "SpaceTally" ("spaceId", "slot", "links") SELECT NEW."spaceId", 0, 1 WHERE NEW."spaceId" IS NOT NULL
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;

-- Dropped in place: a new table would lose the triggers of the old one.
DROP INDEX "Link_accountId_clicks_id_idx";
ALTER TABLE "Link" DROP COLUMN "clicks";
ALTER TABLE "Link" DROP COLUMN "turns";
ALTER TABLE "Account" DROP COLUMN "spaceCount";
ALTER TABLE "Account" DROP COLUMN "linkCount";
ALTER TABLE "Space" DROP COLUMN "linkCount";
