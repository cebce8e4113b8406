-- SQLite has octet_length from 3.43 on. With an older one, such as that of Debian 12, sqlite3 could neither change nor check the
-- tables of these indexes.
DROP INDEX "Link_short_urls";
DROP INDEX "Link_long_urls";
DROP INDEX "Link_without_plainKey";
DROP INDEX "Space_without_plainKey";
DROP INDEX "Tag_without_plainKey";
CREATE INDEX "Link_short_urls" ON "Link" ("accountId", "urlKey", "id") WHERE length(CAST("urlKey" AS BLOB)) <= 2500;
CREATE INDEX "Link_long_urls" ON "Link" ("accountId", substr("urlKey", 1, 600)) WHERE length(CAST("urlKey" AS BLOB)) > 2500;
CREATE INDEX "Link_without_plainKey" ON "Link" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN length(CAST(replace(coalesce("titleKey", '') || ' ' || "urlKey", '%', '%%') AS BLOB)) <> length(coalesce("titleKey", '') || ' ' || "urlKey") THEN 1 END = 1;
CREATE INDEX "Space_without_plainKey" ON "Space" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN length(CAST(replace("nameKey", '%', '%%') AS BLOB)) <> length("nameKey") THEN 1 END = 1;
CREATE INDEX "Tag_without_plainKey" ON "Tag" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN length(CAST(replace("nameKey", '%', '%%') AS BLOB)) <> length("nameKey") THEN 1 END = 1;
