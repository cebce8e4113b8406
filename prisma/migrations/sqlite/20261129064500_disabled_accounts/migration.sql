-- AlterTable
ALTER TABLE "Account" ADD COLUMN "disabledAt" DATETIME;

-- Whoever uses the account loses all rights: processes that remember keys and sessions must hear of it.
CREATE TRIGGER "Account_disabled" AFTER UPDATE OF "disabledAt" ON "Account" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
END;
