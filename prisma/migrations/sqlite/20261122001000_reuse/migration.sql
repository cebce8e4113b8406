-- Finds an account's links to a URL, for what asks for one that is there already. It is an expression, since the models, which
-- are also PostgreSQL's, cannot have an index of whole URLs.
CREATE INDEX "Link_destination" ON "Link" ("accountId", "domainId", ("url" || ''), "id");
