-- CreateTable
CREATE TABLE "KeptAnswer" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "keyHash" TEXT COLLATE "C" NOT NULL,
    "requestHash" TEXT COLLATE "C" NOT NULL,
    "status" INTEGER NOT NULL,
    "contentType" TEXT COLLATE "C" NOT NULL,
    "body" TEXT COLLATE "C" NOT NULL,
    "size" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KeptAnswer_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "KeptAnswer_accountId_id_idx" ON "KeptAnswer"("accountId", "id");

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_accountId_keyHash_key" ON "KeptAnswer"("accountId", "keyHash");

-- AddForeignKey
ALTER TABLE "KeptAnswer" ADD CONSTRAINT "KeptAnswer_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
