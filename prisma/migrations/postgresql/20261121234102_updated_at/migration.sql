-- CreateIndex
CREATE INDEX "Link_accountId_updatedAt_id_idx" ON "Link"("accountId", "updatedAt", "id");

-- CreateIndex
CREATE INDEX "Space_accountId_updatedAt_id_idx" ON "Space"("accountId", "updatedAt", "id");
