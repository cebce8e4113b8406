-- Added in place: a new table would lose the triggers of the old one.
ALTER TABLE "Link" ADD COLUMN "turns" INTEGER NOT NULL DEFAULT 0;

-- Whatever changes what visitors get, processes that remember links must hear of it. Clicks and turns do not; nor do
-- new links, since nobody remembers for longer than a moment that there was none.
INSERT INTO "Revision" ("topic") VALUES ('links');
CREATE TRIGGER "Link_changed" AFTER UPDATE OF "domainId", "alias", "url", "password", "disabled", "expirationUrl",
  "expiresAt", "expirationClicks", "targetType", "countries", "platforms", "languages", "rotation", "updatedAt" ON "Link" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "Link_deleted" AFTER DELETE ON "Link" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "LinkPixel_changed" AFTER INSERT ON "LinkPixel" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "LinkPixel_deleted" AFTER DELETE ON "LinkPixel" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "Pixel_changed" AFTER UPDATE ON "Pixel" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "Domain_changed" AFTER UPDATE ON "Domain" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
CREATE TRIGGER "Domain_deleted" AFTER DELETE ON "Domain" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;
