-- The index of texts, anew: the links of an account stand together in it, since each has the account's id in the upper half of
-- its number. A search looks at those of its own account alone, so neither its time nor its outcome tells of others'.
DROP TRIGGER "Link_text_inserted";
DROP TRIGGER "Link_text_deleted";
DROP TRIGGER "Link_text_updated";
DROP TABLE "LinkText";
CREATE VIRTUAL TABLE "LinkText" USING fts5(
  "titleKey", "aliasKey", "urlKey", content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
  SELECT ("accountId" << 32) | "id", "titleKey", "aliasKey", "urlKey" FROM "Link" ORDER BY "accountId", "id";
CREATE TRIGGER "Link_text_inserted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    VALUES ((NEW."accountId" << 32) | NEW."id", NEW."titleKey", NEW."aliasKey", NEW."urlKey");
END;
CREATE TRIGGER "Link_text_deleted" AFTER DELETE ON "Link" BEGIN
  DELETE FROM "LinkText" WHERE "rowid" = (OLD."accountId" << 32) | OLD."id";
END;
CREATE TRIGGER "Link_text_updated" AFTER UPDATE OF "titleKey", "aliasKey", "urlKey" ON "Link"
WHEN OLD."titleKey" IS NOT NEW."titleKey" OR OLD."aliasKey" <> NEW."aliasKey" OR OLD."urlKey" <> NEW."urlKey" BEGIN
  DELETE FROM "LinkText" WHERE "rowid" = (OLD."accountId" << 32) | OLD."id";
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    VALUES ((NEW."accountId" << 32) | NEW."id", NEW."titleKey", NEW."aliasKey", NEW."urlKey");
END;
