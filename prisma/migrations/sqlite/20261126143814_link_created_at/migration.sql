-- CreateIndex
CREATE INDEX "Link_accountId_createdAt_id_idx" ON "Link"("accountId", "createdAt", "id");
