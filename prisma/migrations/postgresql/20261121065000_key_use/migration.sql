-- How many requests were made with each key, by which processes know of each other's: no record of anything, so a crash may
-- take it, and it costs no write-ahead log.
CREATE UNLOGGED TABLE "KeyUse" ("keyId" INTEGER PRIMARY KEY, "requests" BIGINT NOT NULL);
