-- Finds the links whose title, alias or URL contains a text of three characters or more. It keeps no text of its own, only
-- which links each three characters are in; the keys are folded already, so case is what it is.
CREATE VIRTUAL TABLE "LinkText" USING fts5(
  "titleKey", "aliasKey", "urlKey", content = 'Link', content_rowid = 'id', tokenize = 'trigram case_sensitive 1'
);
INSERT INTO "LinkText" ("LinkText") VALUES ('rebuild');
CREATE TRIGGER "Link_text_inserted" AFTER INSERT ON "Link" BEGIN
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    VALUES (NEW."id", NEW."titleKey", NEW."aliasKey", NEW."urlKey");
END;
CREATE TRIGGER "Link_text_deleted" AFTER DELETE ON "Link" BEGIN
  INSERT INTO "LinkText" ("LinkText", "rowid", "titleKey", "aliasKey", "urlKey")
    VALUES ('delete', OLD."id", OLD."titleKey", OLD."aliasKey", OLD."urlKey");
END;
CREATE TRIGGER "Link_text_updated" AFTER UPDATE OF "titleKey", "aliasKey", "urlKey" ON "Link"
WHEN OLD."titleKey" IS NOT NEW."titleKey" OR OLD."aliasKey" <> NEW."aliasKey" OR OLD."urlKey" <> NEW."urlKey" BEGIN
  INSERT INTO "LinkText" ("LinkText", "rowid", "titleKey", "aliasKey", "urlKey")
    VALUES ('delete', OLD."id", OLD."titleKey", OLD."aliasKey", OLD."urlKey");
  INSERT INTO "LinkText" ("rowid", "titleKey", "aliasKey", "urlKey")
    VALUES (NEW."id", NEW."titleKey", NEW."aliasKey", NEW."urlKey");
END;
