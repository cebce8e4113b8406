-- CreateTable
CREATE TABLE "RetentionClock" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "at" DATETIME NOT NULL,
    "heldSince" DATETIME
);
