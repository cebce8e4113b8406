-- CreateTable
CREATE TABLE "VisitValue" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "kind" INTEGER NOT NULL,
    "browser" TEXT,
    "os" TEXT,
    "device" TEXT,
    "country" TEXT,
    "language" TEXT,
    "referrer" TEXT,
    "destination" TEXT,
    "hash" TEXT NOT NULL,
    "month" INTEGER NOT NULL
);

-- CreateTable
CREATE TABLE "LinkHour" (
    "linkId" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("linkId", "hour")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "LinkDay" (
    "linkId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "described" INTEGER NOT NULL DEFAULT 0,
    "visitors" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("linkId", "day")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "LinkDayValue" (
    "linkId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    PRIMARY KEY ("linkId", "kind", "day", "valueId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "LinkMonthValue" (
    "linkId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "month" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    PRIMARY KEY ("linkId", "kind", "month", "valueId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "AccountHour" (
    "accountId" INTEGER NOT NULL,
    "hour" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "hour")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "AccountDay" (
    "accountId" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "described" INTEGER NOT NULL DEFAULT 0,
    "visitors" INTEGER NOT NULL DEFAULT 0,
    "bots" INTEGER NOT NULL DEFAULT 0,

    PRIMARY KEY ("accountId", "day")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "AccountDayValue" (
    "accountId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    PRIMARY KEY ("accountId", "kind", "day", "valueId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "AccountMonthValue" (
    "accountId" INTEGER NOT NULL,
    "kind" INTEGER NOT NULL,
    "month" INTEGER NOT NULL,
    "valueId" INTEGER NOT NULL,
    "clicks" INTEGER NOT NULL,

    PRIMARY KEY ("accountId", "kind", "month", "valueId")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "DaySalt" (
    "day" INTEGER NOT NULL PRIMARY KEY,
    "salt" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "DayVisitor" (
    "day" INTEGER NOT NULL,
    "linkId" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,

    PRIMARY KEY ("day", "linkId", "hash")
) WITHOUT ROWID;

-- CreateIndex
CREATE UNIQUE INDEX "VisitValue_hash_key" ON "VisitValue"("hash");

-- The last day whose visitors are forgotten.
INSERT INTO "Revision" ("topic", "number") VALUES ('visitors', 0);

-- A visit that is counted at once, as that of a link that ends by clicks, counts for its hour and day with the same statement.
CREATE TRIGGER "LinkCounter_claimed" AFTER UPDATE OF "turns" ON "LinkCounter"
  WHEN OLD."turns" <> NEW."turns" AND OLD."clicks" + 1 = NEW."clicks" AND NEW."lastClickedAt" IS NOT NULL BEGIN
  INSERT INTO "LinkHour" ("linkId", "hour", "clicks")
    VALUES (NEW."linkId", CAST(strftime('%Y%m%d%H', NEW."lastClickedAt") AS INTEGER), 1)
    ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1;
  INSERT INTO "LinkDay" ("linkId", "day", "clicks")
    VALUES (NEW."linkId", CAST(strftime('%Y%m%d', NEW."lastClickedAt") AS INTEGER), 1)
    ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1;
  INSERT INTO "AccountHour" ("accountId", "hour", "clicks")
    VALUES (NEW."accountId", CAST(strftime('%Y%m%d%H', NEW."lastClickedAt") AS INTEGER), 1)
    ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1;
  INSERT INTO "AccountDay" ("accountId", "day", "clicks")
    VALUES (NEW."accountId", CAST(strftime('%Y%m%d', NEW."lastClickedAt") AS INTEGER), 1)
    ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1;
END;

-- Statistics go with their owner.
CREATE TRIGGER "LinkCounter_deleted" AFTER DELETE ON "LinkCounter" BEGIN
  DELETE FROM "LinkHour" WHERE "linkId" = OLD."linkId";
  DELETE FROM "LinkDay" WHERE "linkId" = OLD."linkId";
  DELETE FROM "LinkDayValue" WHERE "linkId" = OLD."linkId";
  DELETE FROM "LinkMonthValue" WHERE "linkId" = OLD."linkId";
  DELETE FROM "DayVisitor" WHERE "linkId" = OLD."linkId" AND "day" IN (SELECT "day" FROM "DaySalt");
END;
CREATE TRIGGER "Account_deleted" AFTER DELETE ON "Account" BEGIN
  DELETE FROM "AccountHour" WHERE "accountId" = OLD."id";
  DELETE FROM "AccountDay" WHERE "accountId" = OLD."id";
  DELETE FROM "AccountDayValue" WHERE "accountId" = OLD."id";
  DELETE FROM "AccountMonthValue" WHERE "accountId" = OLD."id";
END;
