-- CreateTable
CREATE TABLE "ChangeValues" (
    "id" INTEGER NOT NULL,
    "values" TEXT COLLATE "C" NOT NULL,
    "long" TEXT COLLATE "C",
    "isRevertable" BOOLEAN NOT NULL,
    "restoring" TEXT COLLATE "C",
    "memberIds" TEXT COLLATE "C",
    "restoredBy" INTEGER,
    "restoredTo" INTEGER,

    CONSTRAINT "ChangeValues_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "TakenLinks" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "recordId" INTEGER NOT NULL,
    "linkIds" TEXT COLLATE "C" NOT NULL,
    "count" INTEGER NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "TakenLinks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "TakenLinks_accountId_kind_recordId_idx" ON "TakenLinks"("accountId", "kind", "recordId");

-- CreateIndex
CREATE INDEX "TakenLinks_at_idx" ON "TakenLinks"("at");

-- AddForeignKey
ALTER TABLE "ChangeValues" ADD CONSTRAINT "ChangeValues_id_fkey" FOREIGN KEY ("id") REFERENCES "Change"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "TakenLinks" ADD CONSTRAINT "TakenLinks_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
