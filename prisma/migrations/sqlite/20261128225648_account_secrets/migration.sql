-- CreateTable
CREATE TABLE "AccountSecret" (
    "accountId" INTEGER NOT NULL PRIMARY KEY,
    "steps" TEXT NOT NULL,
    CONSTRAINT "AccountSecret_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- With each account, also one that a process of an earlier version makes.
CREATE TRIGGER "Account_secret" AFTER INSERT ON "Account" BEGIN
  INSERT INTO "AccountSecret" ("accountId", "steps") VALUES (NEW."id", lower(hex(randomblob(32))));
END;

-- Existing accounts.
INSERT INTO "AccountSecret" ("accountId", "steps") SELECT "id", lower(hex(randomblob(32))) FROM "Account";
