-- AlterTable
ALTER TABLE "Account" ADD COLUMN     "disabledAt" TIMESTAMP(3);

-- Whoever uses the account loses all rights: processes that remember keys and sessions must hear of it.
CREATE TRIGGER "Account_disabled" AFTER UPDATE OF "disabledAt" ON "Account" FOR EACH ROW EXECUTE FUNCTION "revise_keys"();
