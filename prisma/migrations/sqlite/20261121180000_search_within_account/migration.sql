-- The index of texts, anew. Each account's texts are written in letters of its own, its id shifting each character, and stand
-- together, since the upper half of a row's number is the account's id. A search meets texts of its own account alone, so
-- neither its time nor its outcome tells of others'. Whoever searches shifts as src/db/search.ts does.
DROP TRIGGER "Link_text_inserted";
DROP TRIGGER "Link_text_deleted";
DROP TRIGGER "Link_text_updated";
DROP TABLE "LinkText";
CREATE VIRTUAL TABLE "LinkText" USING fts5(
  "titleKey", "aliasKey", "urlKey", content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
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
      VALUES ("urlKey", '')
      UNION ALL
      SELECT substr("rest", 2), char(65536 + (unicode("rest") + "accountId" * 128) % 983040) FROM "walk" WHERE "rest" <> ''
    ) SELECT group_concat("character", '') FROM "walk") AS "urlKey"
FROM "Link";
INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
  SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" ORDER BY "textId";
CREATE TRIGGER "Link_text_inserted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" WHERE "id" = NEW."id";
END;
CREATE TRIGGER "Link_text_deleted" AFTER DELETE ON "Link" BEGIN
  DELETE FROM "LinkText" WHERE "rowid" = (OLD."accountId" << 32) | OLD."id";
END;
CREATE TRIGGER "Link_text_updated" AFTER UPDATE OF "titleKey", "aliasKey", "urlKey" ON "Link"
WHEN OLD."titleKey" IS NOT NEW."titleKey" OR OLD."aliasKey" <> NEW."aliasKey" OR OLD."urlKey" <> NEW."urlKey" BEGIN
  DELETE FROM "LinkText" WHERE "rowid" = (OLD."accountId" << 32) | OLD."id";
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    SELECT "textId", "titleKey", "aliasKey", "urlKey" FROM "ShiftedLinkText" WHERE "id" = NEW."id";
END;
