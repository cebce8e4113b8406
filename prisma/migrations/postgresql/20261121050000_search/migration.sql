-- Finds the links whose title, alias or URL contains a text of three characters or more. The conditions are true of
-- every row that a search can find. A server that does not have the extension, or does not let this role make it,
-- searches all the same, by reading all of an account's links.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX "Link_titleKey_text" ON "Link" USING gin ("titleKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "titleKey" IS NOT NULL;
  CREATE INDEX "Link_aliasKey_text" ON "Link" USING gin ("aliasKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "aliasKey" IS NOT NULL;
  CREATE INDEX "Link_urlKey_text" ON "Link" USING gin ("urlKey" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "urlKey" IS NOT NULL;
EXCEPTION
  WHEN insufficient_privilege OR undefined_file OR undefined_object OR feature_not_supported THEN
    RAISE NOTICE 'searches have no index: %', SQLERRM;
END $$;
