-- AlterTable
ALTER TABLE "OneTimeToken" ADD COLUMN "sessionId" INTEGER REFERENCES "Session" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "OneTimeToken_sessionId_idx" ON "OneTimeToken"("sessionId");
