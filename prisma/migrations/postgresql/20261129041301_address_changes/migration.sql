-- CreateTable
CREATE TABLE "AddressChange" (
    "id" SERIAL NOT NULL,
    "userId" INTEGER NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "emailKey" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "undoUntil" TIMESTAMP(3),
    "hash" TEXT COLLATE "C",
    "token" TEXT COLLATE "C",
    "language" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "claimedUntil" TIMESTAMP(3),
    "password" TEXT COLLATE "C",
    "lastPasskeyId" INTEGER NOT NULL DEFAULT 0,
    "lastIdentityId" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "AddressChange_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "AddressChange_hash_key" ON "AddressChange"("hash");

-- CreateIndex
CREATE INDEX "AddressChange_userId_id_idx" ON "AddressChange"("userId", "id");

-- CreateIndex
CREATE INDEX "AddressChange_emailKey_idx" ON "AddressChange"("emailKey");

-- CreateIndex
CREATE INDEX "AddressChange_at_idx" ON "AddressChange"("at");

-- AddForeignKey
ALTER TABLE "AddressChange" ADD CONSTRAINT "AddressChange_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;
