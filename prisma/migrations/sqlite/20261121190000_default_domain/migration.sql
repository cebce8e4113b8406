-- AlterTable
ALTER TABLE "Domain" ADD COLUMN "isDefault" BOOLEAN;

-- CreateIndex
CREATE UNIQUE INDEX "Domain_isDefault_key" ON "Domain"("isDefault");
