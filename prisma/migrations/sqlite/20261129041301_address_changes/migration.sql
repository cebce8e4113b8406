-- CreateTable
CREATE TABLE "AddressChange" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "userId" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "emailKey" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "undoUntil" DATETIME,
    "hash" TEXT,
    "token" TEXT,
    "language" TEXT NOT NULL DEFAULT '',
    "claimedUntil" DATETIME,
    "password" TEXT,
    "lastPasskeyId" INTEGER NOT NULL DEFAULT 0,
    "lastIdentityId" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "AddressChange_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "AddressChange_hash_key" ON "AddressChange"("hash");

-- CreateIndex
CREATE INDEX "AddressChange_userId_id_idx" ON "AddressChange"("userId", "id");

-- CreateIndex
CREATE INDEX "AddressChange_emailKey_idx" ON "AddressChange"("emailKey");

-- CreateIndex
CREATE INDEX "AddressChange_at_idx" ON "AddressChange"("at");
