-- CreateTable
CREATE TABLE "DeletedStatistics" (
    "id" SERIAL NOT NULL,
    "linkId" INTEGER NOT NULL,
    "accountId" INTEGER NOT NULL,

    CONSTRAINT "DeletedStatistics_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "DeletedStatistics_linkId_key" ON "DeletedStatistics"("linkId");

-- CreateIndex
CREATE INDEX "DeletedStatistics_accountId_linkId_idx" ON "DeletedStatistics"("accountId", "linkId");

-- The statistics of a deleted link are left to a job, which removes them in slices. A process of an earlier version has removed them
-- before it deletes the link.
CREATE OR REPLACE FUNCTION "delete_statistics_of_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "DeletedStatistics" ("linkId", "accountId")
    SELECT "linkId", "accountId" FROM "gone"
    WHERE EXISTS (SELECT 1 FROM "LinkDay" WHERE "LinkDay"."linkId" = "gone"."linkId") ORDER BY "linkId";
  RETURN NULL;
END $$;

-- A link that comes back under its id does not get them back.
CREATE FUNCTION "leave_deleted_statistics"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "one" RECORD;
BEGIN
  FOR "one" IN SELECT "DeletedStatistics"."id", "DeletedStatistics"."linkId" FROM "DeletedStatistics"
    JOIN "restored" ON "restored"."id" = "DeletedStatistics"."linkId" FOR UPDATE OF "DeletedStatistics" LOOP
    UPDATE "LinkHour" SET "linkId" = -"one"."id" WHERE "linkId" = "one"."linkId";
    UPDATE "LinkDay" SET "linkId" = -"one"."id" WHERE "linkId" = "one"."linkId";
    UPDATE "LinkDayValue" SET "linkId" = -"one"."id" WHERE "linkId" = "one"."linkId";
    UPDATE "LinkMonthValue" SET "linkId" = -"one"."id" WHERE "linkId" = "one"."linkId";
    UPDATE "DayVisitor" SET "linkId" = -"one"."id"
      WHERE "linkId" = "one"."linkId" AND "day" IN (SELECT "day" FROM "DaySalt");
    UPDATE "DeletedStatistics" SET "linkId" = -"one"."id" WHERE "id" = "one"."id";
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "Link_restored" AFTER INSERT ON "Link"
  REFERENCING NEW TABLE AS "restored" FOR EACH STATEMENT EXECUTE FUNCTION "leave_deleted_statistics"();
