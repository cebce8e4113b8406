-- CreateTable
CREATE TABLE "KeptAnswer" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "keyHash" TEXT NOT NULL,
    "requestHash" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "contentType" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "KeptAnswer_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "KeptAnswer_accountId_id_idx" ON "KeptAnswer"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_accountId_keyHash_key" ON "KeptAnswer"("accountId", "keyHash");
