-- AlterTable
ALTER TABLE "LinkCounter" ADD COLUMN "clickLimit" INTEGER;
ALTER TABLE "LinkCounter" ADD COLUMN "endsAt" DATETIME;
ALTER TABLE "LinkCounter" ADD COLUMN "spaceId" INTEGER;

-- CreateTable
CREATE TABLE "DomainTally" (
    "accountId" INTEGER NOT NULL,
    "domainId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "domainId", "slot"),
    CONSTRAINT "DomainTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "DomainTally_domainId_fkey" FOREIGN KEY ("domainId") REFERENCES "Domain" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "EndTally" (
    "accountId" INTEGER NOT NULL,
    "period" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "period", "slot"),
    CONSTRAINT "EndTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- AlterTable
ALTER TABLE "AccountTally" ADD COLUMN "disabled" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "DomainTally_domainId_idx" ON "DomainTally"("domainId");

-- What is there so far. A link that is expired by its clicks is so since 1970; a period has about twelve days.
UPDATE "LinkCounter" SET "spaceId" = "Link"."spaceId",
  "clickLimit" = CASE WHEN NOT "disabled" THEN "expirationClicks" END,
  "endsAt" = CASE WHEN "disabled" THEN NULL WHEN "clicks" >= "expirationClicks" THEN '1970-01-01T00:00:00.000+00:00' ELSE "expiresAt" END
FROM "Link" WHERE "id" = "linkId" AND ("Link"."spaceId" IS NOT NULL OR "expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL);
INSERT INTO "AccountTally" ("accountId", "slot", "disabled")
  SELECT "accountId", 0, COUNT(*) FROM "Link" WHERE "disabled" GROUP BY "accountId"
  ON CONFLICT DO UPDATE SET "disabled" = EXCLUDED."disabled";
INSERT INTO "DomainTally" ("accountId", "domainId", "slot", "links")
  SELECT "accountId", "domainId", 0, COUNT(*) FROM "Link" GROUP BY "accountId", "domainId";
INSERT INTO "EndTally" ("accountId", "period", "slot", "links")
  SELECT "accountId", unixepoch("endsAt") >> 20 AS "period", 0, COUNT(*) FROM "LinkCounter"
  WHERE "endsAt" IS NOT NULL GROUP BY "accountId", "period";

-- The order by clicks within a space, and the ends within a period; the order by URL, as PostgreSQL has it, where an index takes
-- no long entries; and the few links that are disabled, or can expire.
CREATE INDEX "LinkCounter_accountId_spaceId_clicks_linkId_idx" ON "LinkCounter"("accountId", "spaceId", "clicks", "linkId");
CREATE INDEX "LinkCounter_ends" ON "LinkCounter" ("accountId", "endsAt") WHERE "endsAt" IS NOT NULL;
CREATE INDEX "Link_short_urls" ON "Link" ("accountId", "urlKey", "id") WHERE octet_length("urlKey") <= 2500;
CREATE INDEX "Link_long_urls" ON "Link" ("accountId", substr("urlKey", 1, 600)) WHERE octet_length("urlKey") > 2500;
CREATE INDEX "Link_disabled" ON "Link" ("accountId", "id") WHERE "disabled";
CREATE INDEX "Link_ending" ON "Link" ("accountId", "id") WHERE "expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL;

-- With what a counter has of its link, and the totals of domains and of what is disabled.
DROP TRIGGER "Link_counted";
DROP TRIGGER "Link_uncounted";
CREATE TRIGGER "Link_counted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkCounter" ("linkId", "accountId", "spaceId", "clickLimit", "endsAt") VALUES (
    NEW."id", NEW."accountId", NEW."spaceId", CASE WHEN NOT NEW."disabled" THEN NEW."expirationClicks" END,
    CASE WHEN NEW."disabled" THEN NULL WHEN 0 >= NEW."expirationClicks" THEN '1970-01-01T00:00:00.000+00:00' ELSE NEW."expiresAt" END);
  INSERT INTO "AccountTally" ("accountId", "slot", "links", "disabled") VALUES (NEW."accountId", 0, 1, NEW."disabled")
    ON CONFLICT DO UPDATE SET "links" = "links" + 1, "disabled" = "disabled" + EXCLUDED."disabled";
  INSERT INTO "DomainTally" ("accountId", "domainId", "slot", "links") VALUES (NEW."accountId", NEW."domainId", 0, 1)
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
  INSERT INTO "SpaceTally" ("spaceId", "slot", "links") SELECT NEW."spaceId", 0, 1 WHERE NEW."spaceId" IS NOT NULL
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
CREATE TRIGGER "Link_uncounted" AFTER DELETE ON "Link" BEGIN
  UPDATE "AccountTally" SET "links" = "links" - 1, "disabled" = "disabled" - OLD."disabled"
    WHERE "accountId" = OLD."accountId" AND "slot" = 0;
  UPDATE "DomainTally" SET "links" = "links" - 1
    WHERE "accountId" = OLD."accountId" AND "domainId" = OLD."domainId" AND "slot" = 0;
  UPDATE "SpaceTally" SET "links" = "links" - 1 WHERE "spaceId" = OLD."spaceId" AND "slot" = 0;
END;
-- The same of what is changed.
CREATE TRIGGER "Link_changed" AFTER UPDATE OF "spaceId", "disabled", "expiresAt", "expirationClicks" ON "Link"
WHEN OLD."spaceId" IS NOT NEW."spaceId" OR OLD."disabled" <> NEW."disabled" OR OLD."expiresAt" IS NOT NEW."expiresAt"
  OR OLD."expirationClicks" IS NOT NEW."expirationClicks" BEGIN
  UPDATE "LinkCounter" SET "spaceId" = NEW."spaceId", "clickLimit" = CASE WHEN NOT NEW."disabled" THEN NEW."expirationClicks" END,
    "endsAt" = CASE WHEN NEW."disabled" THEN NULL WHEN "clicks" >= NEW."expirationClicks" THEN '1970-01-01T00:00:00.000+00:00'
      ELSE NEW."expiresAt" END
    WHERE "linkId" = NEW."id";
  UPDATE "AccountTally" SET "disabled" = "disabled" + NEW."disabled" - OLD."disabled"
    WHERE "accountId" = NEW."accountId" AND "slot" = 0 AND OLD."disabled" <> NEW."disabled";
END;
CREATE TRIGGER "Link_domain_changed" AFTER UPDATE OF "domainId" ON "Link" WHEN OLD."domainId" <> NEW."domainId" BEGIN
  UPDATE "DomainTally" SET "links" = "links" - 1
    WHERE "accountId" = OLD."accountId" AND "domainId" = OLD."domainId" AND "slot" = 0;
  INSERT INTO "DomainTally" ("accountId", "domainId", "slot", "links") VALUES (NEW."accountId", NEW."domainId", 0, 1)
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
-- A link expires by the click that reaches its limit.
CREATE TRIGGER "LinkCounter_used_up" AFTER UPDATE OF "clicks" ON "LinkCounter"
WHEN NEW."clickLimit" IS NOT NULL AND (OLD."clicks" >= NEW."clickLimit") <> (NEW."clicks" >= NEW."clickLimit") BEGIN
  UPDATE "LinkCounter" SET "endsAt" = CASE WHEN NEW."clicks" >= NEW."clickLimit" THEN '1970-01-01T00:00:00.000+00:00'
      ELSE (SELECT "expiresAt" FROM "Link" WHERE "id" = NEW."linkId") END
    WHERE "linkId" = NEW."linkId";
END;
CREATE TRIGGER "LinkCounter_end_counted" AFTER INSERT ON "LinkCounter" WHEN NEW."endsAt" IS NOT NULL BEGIN
  INSERT INTO "EndTally" ("accountId", "period", "slot", "links") VALUES (NEW."accountId", unixepoch(NEW."endsAt") >> 20, 0, 1)
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
CREATE TRIGGER "LinkCounter_end_moved" AFTER UPDATE OF "endsAt" ON "LinkCounter" WHEN OLD."endsAt" IS NOT NEW."endsAt" BEGIN
  UPDATE "EndTally" SET "links" = "links" - 1
    WHERE "accountId" = OLD."accountId" AND "period" = unixepoch(OLD."endsAt") >> 20 AND "slot" = 0;
  INSERT INTO "EndTally" ("accountId", "period", "slot", "links")
    SELECT NEW."accountId", unixepoch(NEW."endsAt") >> 20, 0, 1 WHERE NEW."endsAt" IS NOT NULL
    ON CONFLICT DO UPDATE SET "links" = "links" + 1;
END;
CREATE TRIGGER "LinkCounter_end_uncounted" AFTER DELETE ON "LinkCounter" WHEN OLD."endsAt" IS NOT NULL BEGIN
  UPDATE "EndTally" SET "links" = "links" - 1
    WHERE "accountId" = OLD."accountId" AND "period" = unixepoch(OLD."endsAt") >> 20 AND "slot" = 0;
END;
