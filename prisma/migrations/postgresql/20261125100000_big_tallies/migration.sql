-- Each table that visits write has a migration of its own: processes that run meanwhile lock the tables in other orders, and a
-- transaction with several of them would deadlock.
ALTER TABLE "AccountTally" ALTER COLUMN "links" TYPE BIGINT;
ALTER TABLE "ClickReceipt" ALTER COLUMN "number" TYPE BIGINT;
