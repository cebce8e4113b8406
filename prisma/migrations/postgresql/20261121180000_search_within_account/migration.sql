-- The indexes of texts, anew: with the account in them, so that a search meets no other account's links, whose number its
-- time would tell. As before, a server that does not have the extensions, or does not let this role make them, searches all
-- the same, by reading all of an account's links.
DROP INDEX IF EXISTS "Link_titleKey_text";
DROP INDEX IF EXISTS "Link_aliasKey_text";
DROP INDEX IF EXISTS "Link_urlKey_text";
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX "Link_titleKey_text" ON "Link" USING gin ("accountId", "titleKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "titleKey" IS NOT NULL;
  CREATE INDEX "Link_aliasKey_text" ON "Link" USING gin ("accountId", "aliasKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "aliasKey" IS NOT NULL;
  CREATE INDEX "Link_urlKey_text" ON "Link" USING gin ("accountId", "urlKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "urlKey" IS NOT NULL;
EXCEPTION
  WHEN insufficient_privilege OR undefined_file OR undefined_object OR feature_not_supported THEN
    RAISE NOTICE 'searches have no index: %', SQLERRM;
END $$;
