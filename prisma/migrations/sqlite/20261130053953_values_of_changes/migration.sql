-- CreateTable
CREATE TABLE "ChangeValues" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "values" TEXT NOT NULL,
    "long" TEXT,
    "isRevertable" BOOLEAN NOT NULL,
    "restoring" TEXT,
    "memberIds" TEXT,
    "restoredBy" INTEGER,
    "restoredTo" INTEGER,
    CONSTRAINT "ChangeValues_id_fkey" FOREIGN KEY ("id") REFERENCES "Change" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TakenLinks" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "accountId" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "recordId" INTEGER NOT NULL,
    "linkIds" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "at" DATETIME NOT NULL,
    CONSTRAINT "TakenLinks_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "TakenLinks_accountId_kind_recordId_idx" ON "TakenLinks"("accountId", "kind", "recordId");

-- CreateIndex
CREATE INDEX "TakenLinks_at_idx" ON "TakenLinks"("at");
