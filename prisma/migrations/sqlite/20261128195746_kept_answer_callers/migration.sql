-- DropIndex
DROP INDEX "KeptAnswer_accountId_id_idx";

-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN "caller" INTEGER;

-- CreateIndex
CREATE INDEX "KeptAnswer_caller_createdAt_size_idx" ON "KeptAnswer"("caller", "createdAt", "size");

-- CreateIndex
CREATE INDEX "KeptAnswer_createdAt_idx" ON "KeptAnswer"("createdAt");
