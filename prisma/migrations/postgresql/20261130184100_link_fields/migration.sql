-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "archived" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "notes" TEXT COLLATE "C",
ADD COLUMN     "redirectStatus" INTEGER NOT NULL DEFAULT 302,
ADD COLUMN     "startsAt" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "AccountTally" ADD COLUMN     "archived" BIGINT NOT NULL DEFAULT 0;

-- The archived links of an account, for lists of them and for totals that leave them out; and the others in a space, for its list
-- and its total.
CREATE INDEX "Link_archived" ON "Link" ("accountId", "id") WHERE "archived";
CREATE INDEX "Link_unarchived_in_space" ON "Link" ("accountId", "spaceId", "id") WHERE "spaceId" IS NOT NULL AND NOT "archived";

-- Counts the account's archived links, in a slot that no other transaction holds. An account that is deleted with its links has no
-- total.
CREATE FUNCTION "count_archived"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner integer;
  step integer;
BEGIN
  IF TG_OP = 'DELETE' THEN
    owner := OLD."accountId";
    step := -1;
  ELSE
    owner := NEW."accountId";
    step := CASE WHEN NEW."archived" THEN 1 ELSE -1 END;
  END IF;
  INSERT INTO "AccountTally" AS "tally" ("accountId", "slot", "archived")
    SELECT "id", "free_slot"(), step FROM "Account" WHERE "id" = owner
    ON CONFLICT ("accountId", "slot") DO UPDATE SET "archived" = "tally"."archived" + EXCLUDED."archived";
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_archived_counted" AFTER INSERT ON "Link" FOR EACH ROW
  WHEN (NEW."archived") EXECUTE FUNCTION "count_archived"();
CREATE TRIGGER "Link_archived_uncounted" AFTER DELETE ON "Link" FOR EACH ROW
  WHEN (OLD."archived") EXECUTE FUNCTION "count_archived"();
CREATE TRIGGER "Link_archived_changed" AFTER UPDATE OF "archived" ON "Link" FOR EACH ROW
  WHEN (OLD."archived" <> NEW."archived") EXECUTE FUNCTION "count_archived"();
