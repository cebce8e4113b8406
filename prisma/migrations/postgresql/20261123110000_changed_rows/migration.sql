-- Finds the changed rows of an update by EXCEPT, in time proportional to their number. A join of both transition tables was
-- planned as a nested loop, which took the square of it.
CREATE OR REPLACE FUNCTION "count_moved_links"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  spaces integer[];
BEGIN
  spaces := ARRAY(SELECT "spaceId" FROM (
    SELECT "id", "spaceId" FROM "before" EXCEPT SELECT "id", "spaceId" FROM "after") AS "left" WHERE "spaceId" IS NOT NULL);
  IF cardinality(spaces) > 0 THEN
    PERFORM "tally_space"(spaces, -1);
  END IF;
  spaces := ARRAY(SELECT "spaceId" FROM (
    SELECT "id", "spaceId" FROM "after" EXCEPT SELECT "id", "spaceId" FROM "before") AS "joined" WHERE "spaceId" IS NOT NULL);
  IF cardinality(spaces) > 0 THEN
    PERFORM "tally_space"(spaces, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "count_changed_links"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed integer[];
  accounts integer[];
  domains integer[];
  ended timestamp[];
  ends timestamp[];
BEGIN
  changed := ARRAY(SELECT "id" FROM (
    SELECT "id", "spaceId", "disabled", "expiresAt", "expirationClicks" FROM "after"
    EXCEPT SELECT "id", "spaceId", "disabled", "expiresAt", "expirationClicks" FROM "before") AS "different");
  IF cardinality(changed) > 0 THEN
    -- Locked first, so that what each was is what it was last.
    WITH "was" AS MATERIALIZED (
      SELECT "linkId", "endsAt" FROM "LinkCounter" WHERE "linkId" = ANY (changed) ORDER BY "linkId" FOR NO KEY UPDATE
    ), "is" AS (
      UPDATE "LinkCounter" SET "spaceId" = "Link"."spaceId",
        "clickLimit" = CASE WHEN NOT "disabled" THEN "expirationClicks" END,
        "endsAt" = "end_of_link"("disabled", "expiresAt", "expirationClicks", "clicks")
      FROM "was" JOIN "Link" ON "id" = "was"."linkId" WHERE "LinkCounter"."linkId" = "was"."linkId"
      RETURNING "LinkCounter"."accountId", "was"."endsAt" AS "ended", "LinkCounter"."endsAt" AS "ends"
    )
    SELECT array_agg("is"."accountId"), array_agg("is"."ended"), array_agg("is"."ends") INTO accounts, ended, ends
      FROM "is" WHERE "is"."ended" IS DISTINCT FROM "is"."ends";
    IF cardinality(accounts) > 0 THEN
      PERFORM "tally_end"(accounts, ended, -1);
      PERFORM "tally_end"(accounts, ends, 1);
    END IF;
  END IF;
  SELECT array_agg("accountId"), array_agg("domainId") INTO accounts, domains FROM (
    SELECT "id", "accountId", "domainId" FROM "before" EXCEPT SELECT "id", "accountId", "domainId" FROM "after") AS "left";
  IF cardinality(accounts) > 0 THEN
    PERFORM "tally_domain"(accounts, domains, -1);
    SELECT array_agg("accountId"), array_agg("domainId") INTO accounts, domains FROM (
      SELECT "id", "accountId", "domainId" FROM "after" EXCEPT SELECT "id", "accountId", "domainId" FROM "before") AS "joined";
    PERFORM "tally_domain"(accounts, domains, 1);
  END IF;
  FOR step IN -1 .. 1 BY 2 LOOP
    accounts := ARRAY(SELECT "accountId" FROM (
      SELECT "id", "accountId", "disabled" FROM "after" EXCEPT SELECT "id", "accountId", "disabled" FROM "before") AS "switched"
      WHERE "disabled" = (step > 0));
    IF cardinality(accounts) > 0 THEN
      PERFORM "tally_disabled"(accounts, step);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
