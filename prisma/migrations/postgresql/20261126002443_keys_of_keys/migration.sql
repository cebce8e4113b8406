-- AlterTable
ALTER TABLE "ApiKey" ADD COLUMN     "parentId" INTEGER;

-- CreateIndex
CREATE INDEX "ApiKey_parentId_idx" ON "ApiKey"("parentId");

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_parentId_fkey" FOREIGN KEY ("parentId") REFERENCES "ApiKey"("id") ON DELETE SET NULL ON UPDATE CASCADE;
