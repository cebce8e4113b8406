-- AlterTable
ALTER TABLE "Domain" ADD COLUMN "hostKey" TEXT NOT NULL DEFAULT '';
ALTER TABLE "Domain" ADD COLUMN "verificationToken" TEXT;
ALTER TABLE "Domain" ADD COLUMN "verifiedAt" DATETIME;

-- Domains from before serve on.
UPDATE "Domain" SET "verifiedAt" = "createdAt", "hostKey" = CASE
  WHEN "name" LIKE '[%' THEN substr("name", 1, instr("name", ']'))
  WHEN instr("name", ':') > 0 THEN substr("name", 1, instr("name", ':') - 1)
  ELSE "name" END;

-- CreateIndex
CREATE INDEX "Domain_hostKey_idx" ON "Domain"("hostKey");

-- A host is one owner's, whatever the port.
CREATE TRIGGER "Domain_host_added" BEFORE INSERT ON "Domain"
WHEN EXISTS (SELECT 1 FROM "Domain" WHERE "hostKey" = NEW."hostKey" AND "accountId" IS NOT NEW."accountId") BEGIN
  SELECT RAISE(ABORT, 'the host is taken');
END;
CREATE TRIGGER "Domain_host_changed" BEFORE UPDATE OF "name", "hostKey", "accountId" ON "Domain"
WHEN EXISTS (
  SELECT 1 FROM "Domain" WHERE "hostKey" = NEW."hostKey" AND "accountId" IS NOT NEW."accountId" AND "id" <> NEW."id"
) BEGIN
  SELECT RAISE(ABORT, 'the host is taken');
END;

-- A new domain is a change like any other: until now its host was answered for by the default domain.
CREATE TRIGGER "Domain_added" AFTER INSERT ON "Domain" BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'links';
END;

-- A number that has come to its end begins again: only whether it is another one matters.
CREATE TRIGGER "Revision_ended" AFTER UPDATE ON "Revision" WHEN NEW."number" >= 2147483647 BEGIN
  UPDATE "Revision" SET "number" = 0 WHERE "topic" = NEW."topic";
END;
