-- Finds an account's links to a URL, for what asks for one that is there already: by its hash, since an entry of an index holds
-- less than the longest URL.
CREATE INDEX "Link_destination" ON "Link" ("accountId", "domainId", md5("url"), "id");
