-- On a domain that all accounts share, nobody gets an alias above or below another account's. Whoever takes an alias with a slash
-- waits for all who take others, and they for it: each looks with the domain locked. After a slash comes 0, so all below lies
-- between them.
CREATE FUNCTION "check_near_aliases"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW."alias" = OLD."alias" THEN
    RETURN NEW;
  END IF;
  IF strpos(NEW."alias", '/') > 0 THEN
    PERFORM 1 FROM "Domain" WHERE "id" = NEW."domainId" AND "accountId" IS NULL FOR UPDATE;
  ELSE
    PERFORM 1 FROM "Domain" WHERE "id" = NEW."domainId" AND "accountId" IS NULL FOR KEY SHARE;
  END IF;
  IF NOT FOUND THEN
    RETURN NEW;
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
CREATE TRIGGER "Link_near" BEFORE INSERT OR UPDATE OF "alias", "domainId" ON "Link"
  FOR EACH ROW EXECUTE FUNCTION "check_near_aliases"();
