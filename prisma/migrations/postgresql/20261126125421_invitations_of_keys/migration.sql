-- AlterTable
ALTER TABLE "Invitation" ADD COLUMN     "keyId" INTEGER;

-- CreateIndex
CREATE INDEX "Invitation_keyId_idx" ON "Invitation"("keyId");

-- AddForeignKey
ALTER TABLE "Invitation" ADD CONSTRAINT "Invitation_keyId_fkey" FOREIGN KEY ("keyId") REFERENCES "ApiKey"("id") ON DELETE SET NULL ON UPDATE CASCADE;
