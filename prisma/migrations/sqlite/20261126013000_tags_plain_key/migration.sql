ALTER TABLE "Tag" ADD COLUMN "plainKey" TEXT;
CREATE INDEX "Tag_without_plainKey" ON "Tag" ("accountId")
  WHERE "plainKey" IS NULL AND CASE WHEN octet_length(replace("nameKey", '%', '%%')) <> length("nameKey") THEN 1 END = 1;
