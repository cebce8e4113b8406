-- CreateTable
CREATE TABLE "DeletedStatistics" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "linkId" INTEGER NOT NULL,
    "accountId" INTEGER NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "DeletedStatistics_linkId_key" ON "DeletedStatistics"("linkId");

-- CreateIndex
CREATE INDEX "DeletedStatistics_accountId_linkId_idx" ON "DeletedStatistics"("accountId", "linkId");

-- The statistics of a deleted link are left to a job, which removes them in slices. A process of an earlier version has removed them
-- before it deletes the link.
DROP TRIGGER "LinkCounter_deleted";
CREATE TRIGGER "LinkCounter_deleted" AFTER DELETE ON "LinkCounter"
  WHEN EXISTS (SELECT 1 FROM "LinkDay" WHERE "linkId" = OLD."linkId") BEGIN
  INSERT INTO "DeletedStatistics" ("linkId", "accountId") VALUES (OLD."linkId", OLD."accountId");
END;

-- A link that comes back under its id does not get them back.
CREATE TRIGGER "Link_restored" AFTER INSERT ON "Link"
  WHEN EXISTS (SELECT 1 FROM "DeletedStatistics" WHERE "linkId" = NEW."id") BEGIN
  UPDATE "LinkHour" SET "linkId" = -(SELECT "id" FROM "DeletedStatistics" WHERE "linkId" = NEW."id") WHERE "linkId" = NEW."id";
  UPDATE "LinkDay" SET "linkId" = -(SELECT "id" FROM "DeletedStatistics" WHERE "linkId" = NEW."id") WHERE "linkId" = NEW."id";
  UPDATE "LinkDayValue" SET "linkId" = -(SELECT "id" FROM "DeletedStatistics" WHERE "linkId" = NEW."id") WHERE "linkId" = NEW."id";
  UPDATE "LinkMonthValue" SET "linkId" = -(SELECT "id" FROM "DeletedStatistics" WHERE "linkId" = NEW."id") WHERE "linkId" = NEW."id";
  UPDATE "DayVisitor" SET "linkId" = -(SELECT "id" FROM "DeletedStatistics" WHERE "linkId" = NEW."id")
    WHERE "linkId" = NEW."id" AND "day" IN (SELECT "day" FROM "DaySalt");
  UPDATE "DeletedStatistics" SET "linkId" = -"id" WHERE "linkId" = NEW."id";
END;
