-- Removes all stored totals but the number of an account's links: counting by an index takes a few milliseconds for 100,000 links.
DROP TRIGGER "Space_counted";
DROP TRIGGER "Space_uncounted";
DROP TRIGGER "Link_counted";
DROP TRIGGER "Link_uncounted";
DROP TRIGGER "Link_moved";
DROP TRIGGER "Link_changed";
DROP TRIGGER "Link_domain_changed";
DROP TRIGGER "LinkCounter_end_counted";
DROP TRIGGER "LinkCounter_end_moved";
DROP TRIGGER "LinkCounter_end_uncounted";
DROP TABLE "SpaceTally";
DROP TABLE "DomainTally";
DROP TABLE "EndTally";
ALTER TABLE "AccountTally" DROP COLUMN "spaces";
ALTER TABLE "AccountTally" DROP COLUMN "disabled";

-- Creates the counter of a link, and counts the account's links.
CREATE TRIGGER "Link_counted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkCounter" ("linkId", "accountId", "spaceId", "clickLimit", "endsAt") VALUES (
    NEW."id", NEW."accountId", NEW."spaceId", CASE WHEN NOT NEW."disabled" THEN NEW."expirationClicks" END,
    CASE WHEN NEW."disabled" THEN NULL WHEN 0 >= NEW."expirationClicks" THEN '1970-01-01T00:00:00.000+00:00' ELSE NEW."expiresAt" END);
  INSERT INTO "AccountTally" ("accountId", "slot", "links") VALUES (NEW."accountId", 0, 1)
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
CREATE TRIGGER "Link_uncounted" AFTER DELETE ON "Link" BEGIN
  UPDATE "AccountTally" SET "links" = "links" - 1 WHERE "accountId" = OLD."accountId" AND "slot" = 0;
END;
-- Copies what a counter has of its link.
CREATE TRIGGER "Link_changed" AFTER UPDATE OF "spaceId", "disabled", "expiresAt", "expirationClicks" ON "Link"
WHEN OLD."spaceId" IS NOT NEW."spaceId" OR OLD."disabled" <> NEW."disabled" OR OLD."expiresAt" IS NOT NEW."expiresAt"
  OR OLD."expirationClicks" IS NOT NEW."expirationClicks" BEGIN
  UPDATE "LinkCounter" SET "spaceId" = NEW."spaceId", "clickLimit" = CASE WHEN NOT NEW."disabled" THEN NEW."expirationClicks" END,
    "endsAt" = CASE WHEN NEW."disabled" THEN NULL WHEN "clicks" >= NEW."expirationClicks" THEN '1970-01-01T00:00:00.000+00:00'
      ELSE NEW."expiresAt" END
    WHERE "linkId" = NEW."id";
END;
