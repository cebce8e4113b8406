-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN "parentId" INTEGER REFERENCES "ApiKey" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "ApiKey_parentId_idx" ON "ApiKey"("parentId");
