-- What a search anywhere finds besides the keys. The service fills it in rows that need it and lack it, which it finds by an
-- index that has only those; src/db/plain-keys.ts has the same conditions.
ALTER TABLE "Link" ADD COLUMN "plainKey" TEXT COLLATE "C";
ALTER TABLE "Space" ADD COLUMN "plainKey" TEXT COLLATE "C";
CREATE INDEX "Link_without_plainKey" ON "Link" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN octet_length(replace(coalesce("titleKey", '') || ' ' || "urlKey", '%', '%%')) <> length(coalesce("titleKey", '') || ' ' || "urlKey") THEN 1 END = 1;
CREATE INDEX "Space_without_plainKey" ON "Space" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN octet_length(replace("nameKey", '%', '%%')) <> length("nameKey") THEN 1 END = 1;
-- As the indexes of the other texts, only if the server has the extensions.
DO $$
BEGIN
  CREATE INDEX "Link_plainKey_text" ON "Link" USING gin ("accountId", "plainKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "plainKey" IS NOT NULL;
EXCEPTION
  WHEN undefined_object THEN
    RAISE NOTICE 'searches have no index: %', SQLERRM;
END $$;
