-- CreateTable
CREATE TABLE "UtmTemplate" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "source" TEXT COLLATE "C",
    "medium" TEXT COLLATE "C",
    "campaign" TEXT COLLATE "C",
    "term" TEXT COLLATE "C",
    "content" TEXT COLLATE "C",
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "UtmTemplate_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "UtmTemplate_accountId_id_idx" ON "UtmTemplate"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "UtmTemplate_accountId_nameKey_key" ON "UtmTemplate"("accountId", "nameKey");

-- AddForeignKey
ALTER TABLE "UtmTemplate" ADD CONSTRAINT "UtmTemplate_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
