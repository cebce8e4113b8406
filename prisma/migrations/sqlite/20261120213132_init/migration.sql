-- CreateTable
CREATE TABLE "Account" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "spaceCount" INTEGER NOT NULL DEFAULT 0,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "lastUsedAt" DATETIME,
    "revokedAt" DATETIME,
    CONSTRAINT "ApiKey_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Revision" (
    "topic" TEXT NOT NULL PRIMARY KEY,
    "number" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "Space" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "color" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "Space_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "Account_name_key" ON "Account"("name");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_hash_key" ON "ApiKey"("hash");

-- CreateIndex
CREATE INDEX "ApiKey_accountId_idx" ON "ApiKey"("accountId");

-- CreateIndex
CREATE INDEX "Space_accountId_id_idx" ON "Space"("accountId", "id");

-- CreateIndex
CREATE INDEX "Space_accountId_nameKey_id_idx" ON "Space"("accountId", "nameKey", "id");

-- The number of an account's spaces, kept with every change of them.
CREATE TRIGGER "Space_counted" AFTER INSERT ON "Space" BEGIN
  UPDATE "Account" SET "spaceCount" = "spaceCount" + 1 WHERE "id" = NEW."accountId";
END;
CREATE TRIGGER "Space_uncounted" AFTER DELETE ON "Space" BEGIN
  UPDATE "Account" SET "spaceCount" = "spaceCount" - 1 WHERE "id" = OLD."accountId";
END;

-- Whatever takes a key away from its holder, processes that remember the key must hear of it.
INSERT INTO "Revision" ("topic") VALUES ('keys');
CREATE TRIGGER "ApiKey_changed" AFTER UPDATE OF "hash", "scopes", "expiresAt", "revokedAt", "accountId" ON "ApiKey" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
END;
CREATE TRIGGER "ApiKey_deleted" AFTER DELETE ON "ApiKey" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
END;
