-- AlterTable
ALTER TABLE "Invitation" ADD COLUMN "keyId" INTEGER REFERENCES "ApiKey" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "Invitation_keyId_idx" ON "Invitation"("keyId");
