-- CreateTable
CREATE TABLE "VisitValue" (
    "id" SERIAL NOT NULL,
    "kind" INTEGER NOT NULL,
    "browser" TEXT COLLATE "C",
    "os" TEXT COLLATE "C",
    "device" TEXT COLLATE "C",
    "country" TEXT COLLATE "C",
    "language" TEXT COLLATE "C",
    "referrer" TEXT COLLATE "C",
    "destination" TEXT COLLATE "C",
    "hash" TEXT COLLATE "C" NOT NULL,
    "month" INTEGER NOT NULL,

    CONSTRAINT "VisitValue_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "LinkHour" (
    "linkId" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "LinkHour_pkey" PRIMARY KEY ("linkId","hour")
);

-- CreateTable
CREATE TABLE "LinkDay" (
    "linkId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "described" INTEGER NOT NULL DEFAULT 0,
    "visitors" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "LinkDay_pkey" PRIMARY KEY ("linkId","day")
);

-- CreateTable
CREATE TABLE "LinkDayValue" (
    "linkId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    CONSTRAINT "LinkDayValue_pkey" PRIMARY KEY ("linkId","kind","day","valueId")
);

-- CreateTable
CREATE TABLE "LinkMonthValue" (
    "linkId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "month" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    CONSTRAINT "LinkMonthValue_pkey" PRIMARY KEY ("linkId","kind","month","valueId")
);

-- CreateTable
CREATE TABLE "AccountHour" (
    "accountId" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "AccountHour_pkey" PRIMARY KEY ("accountId","hour")
);

-- CreateTable
CREATE TABLE "AccountDay" (
    "accountId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "described" INTEGER NOT NULL DEFAULT 0,
    "visitors" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "AccountDay_pkey" PRIMARY KEY ("accountId","day")
);

-- CreateTable
CREATE TABLE "AccountDayValue" (
    "accountId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    CONSTRAINT "AccountDayValue_pkey" PRIMARY KEY ("accountId","kind","day","valueId")
);

-- CreateTable
CREATE TABLE "AccountMonthValue" (
    "accountId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "month" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    CONSTRAINT "AccountMonthValue_pkey" PRIMARY KEY ("accountId","kind","month","valueId")
);

-- CreateTable
CREATE TABLE "DaySalt" (
    "day" INTEGER NOT NULL,
    "salt" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "DaySalt_pkey" PRIMARY KEY ("day")
);

-- CreateTable
CREATE TABLE "DayVisitor" (
    "day" INTEGER NOT NULL,
    "linkId" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "DayVisitor_pkey" PRIMARY KEY ("day","linkId","hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "VisitValue_hash_key" ON "VisitValue"("hash");

-- The last day whose visitors are forgotten.
INSERT INTO "Revision" ("topic", "number") VALUES ('visitors', 0);

-- Statistics go with their owner, once nobody adds to them any more: whoever writes a link's holds its counter, and an account's
-- links are gone before this is done.
CREATE FUNCTION "delete_statistics_of_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "LinkHour" WHERE "linkId" IN (SELECT "linkId" FROM "gone");
  DELETE FROM "LinkDay" WHERE "linkId" IN (SELECT "linkId" FROM "gone");
  DELETE FROM "LinkDayValue" WHERE "linkId" IN (SELECT "linkId" FROM "gone");
  DELETE FROM "LinkMonthValue" WHERE "linkId" IN (SELECT "linkId" FROM "gone");
  DELETE FROM "DayVisitor" WHERE ("day", "linkId") IN (SELECT "day", "linkId" FROM "DaySalt", "gone");
  RETURN NULL;
END $$;
CREATE TRIGGER "LinkCounter_deleted" AFTER DELETE ON "LinkCounter"
  REFERENCING OLD TABLE AS "gone" FOR EACH STATEMENT EXECUTE FUNCTION "delete_statistics_of_links"();
CREATE FUNCTION "delete_statistics_of_accounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "AccountHour" WHERE "accountId" IN (SELECT "id" FROM "gone");
  DELETE FROM "AccountDay" WHERE "accountId" IN (SELECT "id" FROM "gone");
  DELETE FROM "AccountDayValue" WHERE "accountId" IN (SELECT "id" FROM "gone");
  DELETE FROM "AccountMonthValue" WHERE "accountId" IN (SELECT "id" FROM "gone");
  RETURN NULL;
END $$;
CREATE TRIGGER "Account_deleted" AFTER DELETE ON "Account"
  REFERENCING OLD TABLE AS "gone" FOR EACH STATEMENT EXECUTE FUNCTION "delete_statistics_of_accounts"();
