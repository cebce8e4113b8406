-- Aliases above and below each other have the same first segment. Whoever takes one on a domain that all accounts share locks
-- that segment. Locks have little room in the memory of the server, so whoever takes many aliases locks all of the domain: before
-- the first one, or after a hundred if nobody else holds a part of it, since two that wait for all of it wait for each other. The
-- setting, which ends with the transaction, says how many are locked. The lock of the domain's row, which was taken until now, was
-- a stronger one for aliases with slashes: transactions that took one without and then one with a slash waited for each other.
CREATE OR REPLACE FUNCTION "check_near_aliases"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "setting" text := 'linkspace.aliases_' || NEW."domainId";
  "all" bigint := hashtextextended(TG_TABLE_SCHEMA || ' aliases ' || NEW."domainId", 0);
  "locked" text;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW."alias" = OLD."alias" THEN
    RETURN NEW;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "Domain" WHERE "id" = NEW."domainId" AND "accountId" IS NULL) THEN
    RETURN NEW;
  END IF;
  "locked" := COALESCE(NULLIF(current_setting("setting", true), ''), '0');
  IF "locked" = '100' AND pg_try_advisory_xact_lock("all") THEN
    PERFORM set_config("setting", 'all', true);
  ELSIF "locked" <> 'all' THEN
    PERFORM pg_advisory_xact_lock_shared("all"), set_config("setting", LEAST("locked"::int + 1, 100)::text, true);
    PERFORM pg_advisory_xact_lock(hashtextextended(
      TG_TABLE_SCHEMA || ' alias ' || NEW."domainId" || ' ' || split_part(NEW."alias", '/', 1), 0));
  END IF;
  IF EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "alias" > NEW."alias" || '/' AND "alias" < NEW."alias" || '0'
      AND "accountId" <> NEW."accountId"
  ) OR (strpos(NEW."alias", '/') > 0 AND EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "accountId" <> NEW."accountId" AND "alias" IN (
      SELECT array_to_string((string_to_array(NEW."alias", '/'))[1:"last"], '/') COLLATE "C"
      FROM generate_series(1, array_length(string_to_array(NEW."alias", '/'), 1) - 1) AS "last"
    )
  )) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the alias is above or below that of another account';
  END IF;
  RETURN NEW;
END $$;
