-- AlterTable
ALTER TABLE "Link" ADD COLUMN "startsAt" DATETIME;
ALTER TABLE "Link" ADD COLUMN "notes" TEXT;
ALTER TABLE "Link" ADD COLUMN "archived" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "Link" ADD COLUMN "redirectStatus" INTEGER NOT NULL DEFAULT 302;

-- AlterTable
ALTER TABLE "AccountTally" ADD COLUMN "archived" INTEGER NOT NULL DEFAULT 0;

-- The archived links of an account, for lists of them and for totals that leave them out; and the others in a space, for its list
-- and its total.
CREATE INDEX "Link_archived" ON "Link" ("accountId", "id") WHERE "archived";
CREATE INDEX "Link_unarchived_in_space" ON "Link" ("accountId", "spaceId", "id") WHERE "spaceId" IS NOT NULL AND NOT "archived";

-- Counts the account's archived links.
CREATE TRIGGER "Link_archived_counted" AFTER INSERT ON "Link" WHEN NEW."archived" BEGIN
  INSERT INTO "AccountTally" ("accountId", "slot", "archived") VALUES (NEW."accountId", 0, 1)
    ON CONFLICT DO UPDATE SET "archived" = "archived" + 1;
END;
CREATE TRIGGER "Link_archived_uncounted" AFTER DELETE ON "Link" WHEN OLD."archived" BEGIN
  UPDATE "AccountTally" SET "archived" = "archived" - 1 WHERE "accountId" = OLD."accountId" AND "slot" = 0;
END;
CREATE TRIGGER "Link_archived_changed" AFTER UPDATE OF "archived" ON "Link" WHEN OLD."archived" <> NEW."archived" BEGIN
  UPDATE "AccountTally" SET "archived" = "archived" + CASE WHEN NEW."archived" THEN 1 ELSE -1 END
    WHERE "accountId" = NEW."accountId" AND "slot" = 0;
END;
