-- AlterTable
ALTER TABLE "OneTimeToken" ADD COLUMN     "sessionId" INTEGER;

-- CreateIndex
CREATE INDEX "OneTimeToken_sessionId_idx" ON "OneTimeToken"("sessionId");

-- AddForeignKey
ALTER TABLE "OneTimeToken" ADD CONSTRAINT "OneTimeToken_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE CASCADE ON UPDATE CASCADE;
