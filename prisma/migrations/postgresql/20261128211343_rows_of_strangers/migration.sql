-- AlterTable
ALTER TABLE "OneTimeToken" ADD COLUMN     "network" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "SignInGuesses" ADD COLUMN     "network" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX "Change_keyId_idx" ON "Change"("keyId");

-- CreateIndex
CREATE INDEX "OneTimeToken_expiresAt_idx" ON "OneTimeToken"("expiresAt");

-- CreateIndex
CREATE INDEX "OneTimeToken_network_expiresAt_idx" ON "OneTimeToken"("network", "expiresAt");

-- CreateIndex
CREATE INDEX "SignInGuesses_since_idx" ON "SignInGuesses"("since");

-- CreateIndex
CREATE INDEX "SignInGuesses_network_since_idx" ON "SignInGuesses"("network", "since");
