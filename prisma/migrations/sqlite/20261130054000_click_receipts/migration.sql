-- The last write of clicks of each process, so that a repeated write counts once. Written by `src/clicks/visit-writer.ts`.
CREATE TABLE "ClickReceipt" ("processId" TEXT PRIMARY KEY, "number" INTEGER NOT NULL, "at" DATETIME NOT NULL) WITHOUT ROWID;
