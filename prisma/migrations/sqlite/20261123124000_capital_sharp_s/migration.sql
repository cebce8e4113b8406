-- The capital sharp s folds into "ss", as the small one always did.
UPDATE "Space" SET "nameKey" = replace("nameKey", 'ß', 'ss') WHERE "nameKey" LIKE '%ß%';
UPDATE "Link" SET "titleKey" = replace("titleKey", 'ß', 'ss') WHERE "titleKey" LIKE '%ß%';
UPDATE "Link" SET "urlKey" = replace("urlKey", 'ß', 'ss') WHERE "urlKey" LIKE '%ß%';
