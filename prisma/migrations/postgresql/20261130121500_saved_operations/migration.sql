-- CreateTable
CREATE TABLE "SavedOperation" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C",
    "document" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "isTool" BOOLEAN NOT NULL DEFAULT false,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SavedOperation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OperationDay" (
    "operationId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "runs" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "OperationDay_pkey" PRIMARY KEY ("operationId","day")
);

-- CreateIndex
CREATE INDEX "SavedOperation_accountId_id_idx" ON "SavedOperation"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "SavedOperation_accountId_name_key" ON "SavedOperation"("accountId", "name");

-- CreateIndex
CREATE INDEX "OperationDay_day_idx" ON "OperationDay"("day");

-- AddForeignKey
ALTER TABLE "SavedOperation" ADD CONSTRAINT "SavedOperation_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OperationDay" ADD CONSTRAINT "OperationDay_operationId_fkey" FOREIGN KEY ("operationId") REFERENCES "SavedOperation"("id") ON DELETE CASCADE ON UPDATE CASCADE;
