-- CreateTable
CREATE TABLE "AccessChange" (
    "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "kind" TEXT NOT NULL,
    "recordId" INTEGER NOT NULL
);

-- Each change of what gives access has a number of its own.
DROP TRIGGER "ApiKey_changed";
CREATE TRIGGER "ApiKey_changed" AFTER UPDATE OF "hash", "scopes", "expiresAt", "revokedAt", "accountId" ON "ApiKey" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'ApiKey', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "ApiKey_deleted";
CREATE TRIGGER "ApiKey_deleted" AFTER DELETE ON "ApiKey" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'ApiKey', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "Session_deleted";
CREATE TRIGGER "Session_deleted" AFTER DELETE ON "Session" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'Session', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "Membership_changed";
CREATE TRIGGER "Membership_changed" AFTER UPDATE OF "role" ON "Membership" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'Membership', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "Membership_deleted";
CREATE TRIGGER "Membership_deleted" AFTER DELETE ON "Membership" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'Membership', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "User_disabled";
CREATE TRIGGER "User_disabled" AFTER UPDATE OF "disabledAt" ON "User" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'User', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
DROP TRIGGER "Account_disabled";
CREATE TRIGGER "Account_disabled" AFTER UPDATE OF "disabledAt" ON "Account" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  INSERT INTO "AccessChange" ("number", "kind", "recordId")
    SELECT "number", 'Account', OLD."id" FROM "Revision" WHERE "topic" = 'keys';
  DELETE FROM "AccessChange" WHERE "number" = (SELECT "number" - 10000 FROM "Revision" WHERE "topic" = 'keys');
END;
