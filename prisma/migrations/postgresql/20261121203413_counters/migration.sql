-- CreateTable
CREATE TABLE "LinkCounter" (
    "linkId" INTEGER NOT NULL,
    "accountId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "lastClickedAt" TIMESTAMP(3),

    CONSTRAINT "LinkCounter_pkey" PRIMARY KEY ("linkId")
);

-- CreateTable
CREATE TABLE "AccountTally" (
    "accountId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "spaces" INTEGER NOT NULL DEFAULT 0,
    "links" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "AccountTally_pkey" PRIMARY KEY ("accountId","slot")
);

-- CreateTable
CREATE TABLE "SpaceTally" (
    "spaceId" INTEGER NOT NULL,
    "slot" INTEGER NOT NULL,
    "links" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "SpaceTally_pkey" PRIMARY KEY ("spaceId","slot")
);

-- What was counted so far.
INSERT INTO "LinkCounter" ("linkId", "accountId", "clicks", "turns") SELECT "id", "accountId", "clicks", "turns" FROM "Link";
INSERT INTO "AccountTally" ("accountId", "slot", "spaces", "links") SELECT "id", 0, "spaceCount", "linkCount" FROM "Account";
INSERT INTO "SpaceTally" ("spaceId", "slot", "links") SELECT "id", 0, "linkCount" FROM "Space";

-- CreateIndex
CREATE INDEX "LinkCounter_accountId_clicks_linkId_idx" ON "LinkCounter"("accountId", "clicks", "linkId");

-- AddForeignKey
ALTER TABLE "LinkCounter" ADD CONSTRAINT "LinkCounter_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "Link"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AccountTally" ADD CONSTRAINT "AccountTally_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SpaceTally" ADD CONSTRAINT "SpaceTally_spaceId_fkey" FOREIGN KEY ("spaceId") REFERENCES "Space"("id") ON DELETE CASCADE ON UPDATE CASCADE;

DROP TRIGGER "Space_counted" ON "Space";
DROP TRIGGER "Link_counted" ON "Link";
DROP TRIGGER "Link_moved" ON "Link";
DROP FUNCTION "count_space"();
DROP FUNCTION "count_link"();

-- DropIndex
DROP INDEX "Link_accountId_clicks_id_idx";

-- AlterTable
ALTER TABLE "Account" DROP COLUMN "linkCount",
DROP COLUMN "spaceCount";

-- AlterTable
ALTER TABLE "Link" DROP COLUMN "clicks",
DROP COLUMN "turns";

-- AlterTable
ALTER TABLE "Space" DROP COLUMN "linkCount";


-- A slot that no other transaction writes just now; only where all are taken, one that may have to be waited for.
CREATE FUNCTION "free_slot"() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  slots CONSTANT integer := 32;
  own CONSTANT integer := pg_backend_pid() % slots;
BEGIN
  FOR tried IN 0 .. slots - 1 LOOP
    IF pg_try_advisory_xact_lock(72707370, (own + tried) % slots) THEN
      RETURN (own + tried) % slots;
    END IF;
  END LOOP;
  RETURN own;
END $$;

-- Adds to the numbers of links and spaces, in the order of the ids: two that met in one slot would wait for each other. What
-- is deleted with its account, or space, has none to be counted for.
CREATE FUNCTION "tally_account"(ids integer[], "ofSpaces" integer, "ofLinks" integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "AccountTally" AS "tally" ("accountId", "slot", "spaces", "links")
  SELECT "id", "slot", "ofSpaces" * "count", "ofLinks" * "count"
  FROM (SELECT "free_slot"() AS "slot") AS "own",
    (SELECT "one", COUNT(*) AS "count" FROM unnest(ids) AS "one" GROUP BY "one") AS "changed" JOIN "Account" ON "id" = "one"
  ORDER BY "id"
  ON CONFLICT ("accountId", "slot") DO UPDATE
    SET "spaces" = "tally"."spaces" + EXCLUDED."spaces", "links" = "tally"."links" + EXCLUDED."links"
$$;
CREATE FUNCTION "tally_space"(ids integer[], "ofLinks" integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "SpaceTally" AS "tally" ("spaceId", "slot", "links")
  SELECT "id", "slot", "ofLinks" * "count"
  FROM (SELECT "free_slot"() AS "slot") AS "own",
    (SELECT "one", COUNT(*) AS "count" FROM unnest(ids) AS "one" GROUP BY "one") AS "changed" JOIN "Space" ON "id" = "one"
  ORDER BY "id"
  ON CONFLICT ("spaceId", "slot") DO UPDATE SET "links" = "tally"."links" + EXCLUDED."links"
$$;

CREATE FUNCTION "count_spaces"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tally_account"(ARRAY(SELECT "accountId" FROM "changed"), CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER "Space_counted" AFTER INSERT ON "Space"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_spaces"();
CREATE TRIGGER "Space_uncounted" AFTER DELETE ON "Space"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_spaces"();

CREATE FUNCTION "count_links"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  step CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "LinkCounter" ("linkId", "accountId") SELECT "id", "accountId" FROM "changed";
  END IF;
  PERFORM "tally_account"(ARRAY(SELECT "accountId" FROM "changed"), 0, step);
  PERFORM "tally_space"(ARRAY(SELECT "spaceId" FROM "changed" WHERE "spaceId" IS NOT NULL), step);
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_counted" AFTER INSERT ON "Link"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_links"();
CREATE TRIGGER "Link_uncounted" AFTER DELETE ON "Link"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_links"();

CREATE FUNCTION "count_moved_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "tally_space"(ARRAY(
    SELECT "before"."spaceId" FROM "before" JOIN "after" USING ("id")
    WHERE "before"."spaceId" IS DISTINCT FROM "after"."spaceId" AND "before"."spaceId" IS NOT NULL), -1);
  PERFORM "tally_space"(ARRAY(
    SELECT "after"."spaceId" FROM "before" JOIN "after" USING ("id")
    WHERE "before"."spaceId" IS DISTINCT FROM "after"."spaceId" AND "after"."spaceId" IS NOT NULL), 1);
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_moved" AFTER UPDATE ON "Link"
  REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_moved_links"();
