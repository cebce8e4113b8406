-- CreateTable
CREATE TABLE "AccountSecret" (
    "accountId" INTEGER NOT NULL,
    "steps" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "AccountSecret_pkey" PRIMARY KEY ("accountId")
);

-- AddForeignKey
ALTER TABLE "AccountSecret" ADD CONSTRAINT "AccountSecret_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- 244 random bits: UUIDs are the randomness that PostgreSQL has without an extension, and 6 bits of each are fixed.
CREATE FUNCTION "random_secret"() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
$$;

-- With each account, also one that a process of an earlier version makes. Its creation waits for transactions that are making accounts,
-- which the statement below then sees.
CREATE FUNCTION "make_account_secret"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "AccountSecret" ("accountId", "steps") VALUES (NEW."id", "random_secret"());
  RETURN NULL;
END $$;
CREATE TRIGGER "Account_secret" AFTER INSERT ON "Account" FOR EACH ROW EXECUTE FUNCTION "make_account_secret"();

-- Existing accounts.
INSERT INTO "AccountSecret" ("accountId", "steps") SELECT "id", "random_secret"() FROM "Account";
