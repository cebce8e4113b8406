-- What a search anywhere finds besides the keys. The service fills it in rows that need it and lack it, which it finds by an
-- index that has only those; src/db/plain-keys.ts has the same conditions.
ALTER TABLE "Link" ADD COLUMN "plainKey" TEXT;
ALTER TABLE "Space" ADD COLUMN "plainKey" TEXT;
CREATE INDEX "Link_without_plainKey" ON "Link" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN octet_length(replace(coalesce("titleKey", '') || ' ' || "urlKey", '%', '%%')) <> length(coalesce("titleKey", '') || ' ' || "urlKey") THEN 1 END = 1;
CREATE INDEX "Space_without_plainKey" ON "Space" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN octet_length(replace("nameKey", '%', '%%')) <> length("nameKey") THEN 1 END = 1;
-- The index of texts has it where it has the URL: for all rows that are there, its entries stay as they are.
DROP TRIGGER "Link_text_inserted";
DROP TRIGGER "Link_text_updated";
DROP VIEW "ShiftedLinkText";
CREATE VIEW "ShiftedLinkText" AS SELECT
  "id",
  ("accountId" << 32) | "id" AS "textId",
  (WITH RECURSIVE "walk"("rest", "character") AS (
      VALUES ("titleKey", '')
      UNION ALL
      SELECT substr("rest", 2), char(65536 + (unicode("rest") + "accountId" * 128) % 983040) FROM "walk" WHERE "rest" <> ''
    ) SELECT group_concat("character", '') FROM "walk") AS "titleKey",
  (WITH RECURSIVE "walk"("rest", "character") AS (
      VALUES ("aliasKey", '')
      UNION ALL
      SELECT substr("rest", 2), char(65536 + (unicode("rest") + "accountId" * 128) % 983040) FROM "walk" WHERE "rest" <> ''
    ) SELECT group_concat("character", '') FROM "walk") AS "aliasKey",
  (WITH RECURSIVE "walk"("rest", "character") AS (
      VALUES (CASE WHEN "plainKey" IS NULL THEN "urlKey" ELSE "urlKey" || char(10) || "plainKey" END, '')
      UNION ALL
      SELECT substr("rest", 2), char(65536 + (unicode("rest") + "accountId" * 128) % 983040) FROM "walk" WHERE "rest" <> ''
    ) SELECT group_concat("character", '') FROM "walk") AS "urlKey"
FROM "Link";
CREATE TRIGGER "Link_text_inserted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" WHERE "id" = NEW."id";
END;
CREATE TRIGGER "Link_text_updated" AFTER UPDATE OF "titleKey", "aliasKey", "urlKey", "plainKey" ON "Link"
WHEN OLD."titleKey" IS NOT NEW."titleKey" OR OLD."aliasKey" <> NEW."aliasKey" OR OLD."urlKey" <> NEW."urlKey"
  OR OLD."plainKey" IS NOT NEW."plainKey" BEGIN
  DELETE FROM "LinkText" WHERE "rowid" = (OLD."accountId" << 32) | OLD."id";
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" WHERE "id" = NEW."id";
END;
