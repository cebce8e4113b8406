-- AlterTable
ALTER TABLE "AccountTally" ADD COLUMN     "disabled" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "LinkCounter" ADD COLUMN     "clickLimit" INTEGER,
ADD COLUMN     "endsAt" TIMESTAMP(3),
ADD COLUMN     "spaceId" INTEGER;

-- CreateTable
CREATE TABLE "DomainTally" (
    "accountId" INTEGER NOT NULL,
    "domainId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "DomainTally_pkey" PRIMARY KEY ("accountId","domainId","slot")
);

-- CreateTable
CREATE TABLE "EndTally" (
    "accountId" INTEGER NOT NULL,
    "period" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "EndTally_pkey" PRIMARY KEY ("accountId","period","slot")
);

-- CreateIndex
CREATE INDEX "DomainTally_domainId_idx" ON "DomainTally"("domainId");

-- AddForeignKey
ALTER TABLE "DomainTally" ADD CONSTRAINT "DomainTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "DomainTally" ADD CONSTRAINT "DomainTally_domainId_fkey" FOREIGN KEY ("domainId") REFERENCES "Domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EndTally" ADD CONSTRAINT "EndTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- When a link is expired by its status, and from when: 1970 where its clicks are used up. Null where it never is.
CREATE FUNCTION "end_of_link"(disabled boolean, "expiresAt" timestamp, "clickLimit" integer, clicks integer) RETURNS timestamp
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN disabled THEN NULL WHEN clicks >= "clickLimit" THEN '1970-01-01'::timestamp ELSE "expiresAt" END
$$;
-- The period that a moment is in, of about twelve days.
CREATE FUNCTION "period_of"(moment timestamp) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (floor(extract(epoch FROM moment))::bigint >> 20)::integer
$$;

-- What is there so far.
UPDATE "LinkCounter" SET "spaceId" = "Link"."spaceId",
  "clickLimit" = CASE WHEN NOT "disabled" THEN "expirationClicks" END,
  "endsAt" = "end_of_link"("disabled", "expiresAt", "expirationClicks", "clicks")
FROM "Link" WHERE "id" = "linkId" AND ("Link"."spaceId" IS NOT NULL OR "expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL);
INSERT INTO "AccountTally" AS "tally" ("accountId", "slot", "disabled")
  SELECT "accountId", 0, COUNT(*) FROM "Link" WHERE "disabled" GROUP BY "accountId"
  ON CONFLICT ("accountId", "slot") DO UPDATE SET "disabled" = EXCLUDED."disabled";
INSERT INTO "DomainTally" ("accountId", "domainId", "slot", "links")
  SELECT "accountId", "domainId", 0, COUNT(*) FROM "Link" GROUP BY "accountId", "domainId";
INSERT INTO "EndTally" ("accountId", "period", "slot", "links")
  SELECT "accountId", "period_of"("endsAt"), 0, COUNT(*) FROM "LinkCounter" WHERE "endsAt" IS NOT NULL GROUP BY 1, 2;

-- The order by clicks within a space, and the ends within a period.
CREATE INDEX "LinkCounter_accountId_spaceId_clicks_linkId_idx" ON "LinkCounter"("accountId", "spaceId", "clicks", "linkId");
CREATE INDEX "LinkCounter_ends" ON "LinkCounter" ("accountId", "endsAt") WHERE "endsAt" IS NOT NULL;
-- The order by URL. An entry of an index has at most some 2,700 bytes, so that long ones stand apart, by how they begin.
CREATE INDEX "Link_short_urls" ON "Link" ("accountId", "urlKey", "id") WHERE octet_length("urlKey") <= 2500;
CREATE INDEX "Link_long_urls" ON "Link" ("accountId", substr("urlKey", 1, 600)) WHERE octet_length("urlKey") > 2500;
-- Few links are disabled, or can expire.
CREATE INDEX "Link_disabled" ON "Link" ("accountId", "id") WHERE "disabled";
CREATE INDEX "Link_ending" ON "Link" ("accountId", "id") WHERE "expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL;

-- As "tally_account" and "tally_space": once per statement, in a slot that no other transaction holds, in the order of the ids.
CREATE FUNCTION "tally_disabled"(ids integer[], step integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "AccountTally" AS "tally" ("accountId", "slot", "disabled")
  SELECT "id", "slot", step * "count"
  FROM (SELECT "free_slot"() AS "slot") AS "own",
    (SELECT "one", COUNT(*) AS "count" FROM unnest(ids) AS "one" GROUP BY "one") AS "changed" JOIN "Account" ON "id" = "one"
  ORDER BY "id"
  ON CONFLICT ("accountId", "slot") DO UPDATE SET "disabled" = "tally"."disabled" + EXCLUDED."disabled"
$$;
CREATE FUNCTION "tally_domain"(accounts integer[], domains integer[], step integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "DomainTally" AS "tally" ("accountId", "domainId", "slot", "links")
  SELECT "account", "domain", "slot", step * "count"
  FROM (SELECT "free_slot"() AS "slot") AS "own",
    (SELECT "account", "domain", COUNT(*) AS "count" FROM unnest(accounts, domains) AS "one" ("account", "domain")
      GROUP BY "account", "domain") AS "changed"
    JOIN "Account" ON "Account"."id" = "account" JOIN "Domain" ON "Domain"."id" = "domain"
  ORDER BY "account", "domain"
  ON CONFLICT ("accountId", "domainId", "slot") DO UPDATE SET "links" = "tally"."links" + EXCLUDED."links"
$$;
CREATE FUNCTION "tally_end"(accounts integer[], moments timestamp[], step integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "EndTally" AS "tally" ("accountId", "period", "slot", "links")
  SELECT "account", "period", "slot", step * "count"
  FROM (SELECT "free_slot"() AS "slot") AS "own",
    (SELECT "account", "period_of"("moment") AS "period", COUNT(*) AS "count" FROM unnest(accounts, moments) AS "one" ("account", "moment")
      WHERE "moment" IS NOT NULL GROUP BY 1, 2) AS "changed" JOIN "Account" ON "id" = "account"
  ORDER BY "account", "period"
  ON CONFLICT ("accountId", "period", "slot") DO UPDATE SET "links" = "tally"."links" + EXCLUDED."links"
$$;

-- With what a counter has of its link, and the totals of domains and of what is disabled.
CREATE OR REPLACE FUNCTION "count_links"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  step CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  own CONSTANT integer := "free_slot"();
  paused integer[];
BEGIN
  PERFORM "tally_account"(ARRAY(SELECT "accountId" FROM "changed"), 0, step);
  PERFORM "tally_space"(ARRAY(SELECT "spaceId" FROM "changed" WHERE "spaceId" IS NOT NULL), step);
  INSERT INTO "DomainTally" AS "tally" ("accountId", "domainId", "slot", "links")
    SELECT "accountId", "domainId", own, step * COUNT(*) FROM "changed"
    WHERE step > 0 OR EXISTS (SELECT 1 FROM "Account" WHERE "id" = "changed"."accountId")
    GROUP BY "accountId", "domainId" ORDER BY "accountId", "domainId"
    ON CONFLICT ("accountId", "domainId", "slot") DO UPDATE SET "links" = "tally"."links" + EXCLUDED."links";
  paused := ARRAY(SELECT "accountId" FROM "changed" WHERE "disabled");
  IF cardinality(paused) > 0 THEN
    PERFORM "tally_disabled"(paused, step);
  END IF;
  IF step > 0 THEN
    INSERT INTO "LinkCounter" ("linkId", "accountId", "spaceId", "clickLimit", "endsAt")
      SELECT "id", "accountId", "spaceId", CASE WHEN NOT "disabled" THEN "expirationClicks" END,
        "end_of_link"("disabled", "expiresAt", "expirationClicks", 0) FROM "changed";
    IF EXISTS (SELECT 1 FROM "changed" WHERE "expiresAt" IS NOT NULL OR "expirationClicks" <= 0) THEN
      PERFORM "tally_end"(array_agg("accountId"), array_agg("end_of_link"("disabled", "expiresAt", "expirationClicks", 0)), step)
        FROM "changed" WHERE "end_of_link"("disabled", "expiresAt", "expirationClicks", 0) IS NOT NULL;
    END IF;
  END IF;
  RETURN NULL;
END $$;

-- The same of what is changed. An update of anything else ends here at once.
CREATE FUNCTION "count_changed_links"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved integer[];
  paused integer[];
  accounts integer[];
  ended timestamp[];
  ends timestamp[];
BEGIN
  IF EXISTS (SELECT 1 FROM "before" JOIN "after" USING ("id")
    WHERE ROW("before"."spaceId", "before"."disabled", "before"."expiresAt", "before"."expirationClicks")
      IS DISTINCT FROM ROW("after"."spaceId", "after"."disabled", "after"."expiresAt", "after"."expirationClicks")) THEN
    -- Locked first, so that what each was is what it was last.
    WITH "was" AS MATERIALIZED (
      SELECT "linkId", "endsAt" FROM "LinkCounter" JOIN "after" ON "id" = "linkId" ORDER BY "linkId"
      FOR NO KEY UPDATE OF "LinkCounter"
    ), "is" AS (
      UPDATE "LinkCounter" SET "spaceId" = "after"."spaceId",
        "clickLimit" = CASE WHEN NOT "disabled" THEN "expirationClicks" END,
        "endsAt" = "end_of_link"("disabled", "expiresAt", "expirationClicks", "clicks")
      FROM "was" JOIN "after" ON "id" = "was"."linkId" WHERE "LinkCounter"."linkId" = "was"."linkId"
      RETURNING "LinkCounter"."accountId", "was"."endsAt" AS "ended", "LinkCounter"."endsAt" AS "ends"
    )
    SELECT array_agg("is"."accountId"), array_agg("is"."ended"), array_agg("is"."ends") INTO accounts, ended, ends
      FROM "is" WHERE "is"."ended" IS DISTINCT FROM "is"."ends";
    IF cardinality(accounts) > 0 THEN
      PERFORM "tally_end"(accounts, ended, -1);
      PERFORM "tally_end"(accounts, ends, 1);
    END IF;
  END IF;
  moved := ARRAY(SELECT "id" FROM "before" JOIN "after" USING ("id") WHERE "before"."domainId" <> "after"."domainId");
  IF cardinality(moved) > 0 THEN
    PERFORM "tally_domain"(ARRAY(SELECT "accountId" FROM "before" WHERE "id" = ANY (moved) ORDER BY "id"),
      ARRAY(SELECT "domainId" FROM "before" WHERE "id" = ANY (moved) ORDER BY "id"), -1);
    PERFORM "tally_domain"(ARRAY(SELECT "accountId" FROM "after" WHERE "id" = ANY (moved) ORDER BY "id"),
      ARRAY(SELECT "domainId" FROM "after" WHERE "id" = ANY (moved) ORDER BY "id"), 1);
  END IF;
  FOR step IN -1 .. 1 BY 2 LOOP
    paused := ARRAY(SELECT "after"."accountId" FROM "before" JOIN "after" USING ("id")
      WHERE "before"."disabled" = (step < 0) AND "after"."disabled" = (step > 0));
    IF cardinality(paused) > 0 THEN
      PERFORM "tally_disabled"(paused, step);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_changed" AFTER UPDATE ON "Link"
  REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_changed_links"();

-- A link expires by the click that reaches its limit; asked of each row, but carried out for the few that do.
CREATE FUNCTION "end_by_clicks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."endsAt" := "end_of_link"(false, (SELECT "expiresAt" FROM "Link" WHERE "id" = NEW."linkId"), NEW."clickLimit", NEW."clicks");
  RETURN NEW;
END $$;
CREATE TRIGGER "LinkCounter_used_up" BEFORE UPDATE OF "clicks" ON "LinkCounter" FOR EACH ROW
  WHEN (NEW."clickLimit" IS NOT NULL AND (OLD."clicks" >= NEW."clickLimit") <> (NEW."clicks" >= NEW."clickLimit"))
  EXECUTE FUNCTION "end_by_clicks"();

-- What clicks end, and what goes with a link, comes one by one; what a change of links ends is counted there, all at once.
CREATE FUNCTION "count_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tally_end"(ARRAY[OLD."accountId"], ARRAY[OLD."endsAt"], -1);
  IF TG_OP = 'UPDATE' THEN
    PERFORM "tally_end"(ARRAY[NEW."accountId"], ARRAY[NEW."endsAt"], 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "LinkCounter_end_moved" AFTER UPDATE ON "LinkCounter" FOR EACH ROW
  WHEN (OLD."endsAt" IS DISTINCT FROM NEW."endsAt" AND pg_trigger_depth() = 0) EXECUTE FUNCTION "count_end"();
CREATE TRIGGER "LinkCounter_end_uncounted" AFTER DELETE ON "LinkCounter" FOR EACH ROW
  WHEN (OLD."endsAt" IS NOT NULL) EXECUTE FUNCTION "count_end"();
