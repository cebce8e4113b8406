-- On a domain that all accounts share, nobody gets an alias above or below another account's. The aliases above one are the
-- sums of its segments, which have no quotes and no backslashes. After a slash comes 0, so all below lies between them.
CREATE TRIGGER "Link_near_added" BEFORE INSERT ON "Link"
WHEN EXISTS (SELECT 1 FROM "Domain" WHERE "id" = NEW."domainId" AND "accountId" IS NULL)
AND (
  EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "alias" > NEW."alias" || '/' AND "alias" < NEW."alias" || '0'
      AND "accountId" <> NEW."accountId"
  ) OR (instr(NEW."alias", '/') > 0 AND EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "accountId" <> NEW."accountId" AND "alias" IN (
      SELECT substr(NEW."alias", 1, SUM(length("value") + 1) OVER (ORDER BY "key") - 1)
      FROM json_each('["' || replace(NEW."alias", '/', '","') || '"]')
    ) AND "alias" <> NEW."alias"
  ))
) BEGIN
  SELECT RAISE(ABORT, 'the alias is above or below that of another account');
END;
CREATE TRIGGER "Link_near_changed" BEFORE UPDATE OF "alias", "domainId" ON "Link"
WHEN NEW."alias" <> OLD."alias" AND EXISTS (SELECT 1 FROM "Domain" WHERE "id" = NEW."domainId" AND "accountId" IS NULL)
AND (
  EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "alias" > NEW."alias" || '/' AND "alias" < NEW."alias" || '0'
      AND "accountId" <> NEW."accountId"
  ) OR (instr(NEW."alias", '/') > 0 AND EXISTS (
    SELECT 1 FROM "Link" WHERE "domainId" = NEW."domainId" AND "accountId" <> NEW."accountId" AND "alias" IN (
      SELECT substr(NEW."alias", 1, SUM(length("value") + 1) OVER (ORDER BY "key") - 1)
      FROM json_each('["' || replace(NEW."alias", '/', '","') || '"]')
    ) AND "alias" <> NEW."alias"
  ))
) BEGIN
  SELECT RAISE(ABORT, 'the alias is above or below that of another account');
END;
