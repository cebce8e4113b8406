-- CreateTable
CREATE TABLE "SavedOperation" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "document" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "isTool" BOOLEAN NOT NULL DEFAULT false,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "SavedOperation_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "OperationDay" (
    "operationId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "runs" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("operationId", "day"),
    CONSTRAINT "OperationDay_operationId_fkey" FOREIGN KEY ("operationId") REFERENCES "SavedOperation" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "SavedOperation_accountId_id_idx" ON "SavedOperation"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SavedOperation_accountId_name_key" ON "SavedOperation"("accountId", "name");

-- CreateIndex
CREATE INDEX "OperationDay_day_idx" ON "OperationDay"("day");
