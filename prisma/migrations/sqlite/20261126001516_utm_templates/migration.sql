-- CreateTable
CREATE TABLE "UtmTemplate" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "nameKey" TEXT NOT NULL,
    "source" TEXT,
    "medium" TEXT,
    "campaign" TEXT,
    "term" TEXT,
    "content" TEXT,
    "createdAt" DATETIME NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "UtmTemplate_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "UtmTemplate_accountId_id_idx" ON "UtmTemplate"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "UtmTemplate_accountId_nameKey_key" ON "UtmTemplate"("accountId", "nameKey");
