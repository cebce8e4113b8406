-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "turns" INTEGER NOT NULL DEFAULT 0;

-- Whatever changes what visitors get, processes that remember links must hear of it. Clicks and turns do not; nor do
-- new links, since nobody remembers for longer than a moment that there was none. All writers meet in one row: it is
-- written last, when a transaction commits, so that nobody holds it who still waits for something else.
INSERT INTO "Revision" ("topic") VALUES ('links');
CREATE FUNCTION "revise_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "Link_changed" AFTER UPDATE OF "domainId", "alias", "url", "password", "disabled", "expirationUrl",
  "expiresAt", "expirationClicks", "targetType", "countries", "platforms", "languages", "rotation", "updatedAt" OR DELETE ON "Link"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "revise_links"();
CREATE CONSTRAINT TRIGGER "LinkPixel_changed" AFTER INSERT OR DELETE ON "LinkPixel"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "revise_links"();
CREATE CONSTRAINT TRIGGER "Pixel_changed" AFTER UPDATE ON "Pixel"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "revise_links"();
CREATE CONSTRAINT TRIGGER "Domain_changed" AFTER UPDATE OR DELETE ON "Domain"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "revise_links"();
