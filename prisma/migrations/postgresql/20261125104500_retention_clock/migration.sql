-- CreateTable
CREATE TABLE "RetentionClock" (
    "name" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "heldSince" TIMESTAMP(3),

    CONSTRAINT "RetentionClock_pkey" PRIMARY KEY ("name")
);
