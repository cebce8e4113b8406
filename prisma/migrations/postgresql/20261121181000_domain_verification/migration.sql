-- AlterTable
ALTER TABLE "Domain" ADD COLUMN     "hostKey" TEXT COLLATE "C" NOT NULL DEFAULT '',
ADD COLUMN     "verificationToken" TEXT COLLATE "C",
ADD COLUMN     "verifiedAt" TIMESTAMP(3);

-- Domains from before serve on.
UPDATE "Domain" SET "verifiedAt" = "createdAt", "hostKey" = regexp_replace("name", ':\d+$', '');

-- CreateIndex
CREATE INDEX "Domain_hostKey_idx" ON "Domain"("hostKey");

-- A host is one owner's, whatever the port. Who asks for one waits for whoever else does.
CREATE FUNCTION "check_host"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW."hostKey", 0));
  IF EXISTS (
    SELECT 1 FROM "Domain"
    WHERE "hostKey" = NEW."hostKey" AND "accountId" IS DISTINCT FROM NEW."accountId" AND "id" <> NEW."id"
  ) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the host is taken';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "Domain_host" BEFORE INSERT OR UPDATE OF "name", "hostKey", "accountId" ON "Domain"
  FOR EACH ROW EXECUTE FUNCTION "check_host"();

-- A new domain is a change like any other: until now its host was answered for by the default domain.
DROP TRIGGER "Domain_changed" ON "Domain";
CREATE CONSTRAINT TRIGGER "Domain_changed" AFTER INSERT OR UPDATE OR DELETE ON "Domain"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "revise_links"();

-- A number that has come to its end begins again: only whether it is another one matters.
CREATE OR REPLACE FUNCTION "revise_links"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Revision" SET "number" = ("number" + 1) % 2147483647 WHERE "topic" = 'links';
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION "revise_keys"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Revision" SET "number" = ("number" + 1) % 2147483647 WHERE "topic" = 'keys';
  RETURN NULL;
END $$;
