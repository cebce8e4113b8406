-- DropIndex
DROP INDEX "Link_spaceId_id_idx";

-- CreateIndex
CREATE INDEX "Link_accountId_spaceId_id_idx" ON "Link"("accountId", "spaceId", "id");

-- CreateIndex
CREATE INDEX "Link_accountId_domainId_id_idx" ON "Link"("accountId", "domainId", "id");

-- CreateIndex
CREATE INDEX "Link_spaceId_idx" ON "Link"("spaceId");
