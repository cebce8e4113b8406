-- CreateTable
CREATE TABLE "Account" (
    "id" SERIAL NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "spaceCount" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ApiKey" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "prefix" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT COLLATE "C" NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "lastUsedAt" TIMESTAMP(3),
    "revokedAt" TIMESTAMP(3),

    CONSTRAINT "ApiKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Revision" (
    "topic" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "Revision_pkey" PRIMARY KEY ("topic")
);

-- CreateTable
CREATE TABLE "Space" (
    "id" SERIAL NOT NULL,
    "accountId" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "nameKey" TEXT COLLATE "C" NOT NULL,
    "color" INTEGER NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Space_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Account_name_key" ON "Account"("name");

-- CreateIndex
CREATE UNIQUE INDEX "ApiKey_hash_key" ON "ApiKey"("hash");

-- CreateIndex
CREATE INDEX "ApiKey_accountId_idx" ON "ApiKey"("accountId");

-- CreateIndex
CREATE INDEX "Space_accountId_id_idx" ON "Space"("accountId", "id");

-- CreateIndex
CREATE INDEX "Space_accountId_nameKey_id_idx" ON "Space"("accountId", "nameKey", "id");

-- AddForeignKey
ALTER TABLE "ApiKey" ADD CONSTRAINT "ApiKey_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Space" ADD CONSTRAINT "Space_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The number of an account's spaces, kept with every change of them.
CREATE FUNCTION "count_space"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE "Account" SET "spaceCount" = "spaceCount" + 1 WHERE "id" = NEW."accountId";
  ELSE
    UPDATE "Account" SET "spaceCount" = "spaceCount" - 1 WHERE "id" = OLD."accountId";
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "Space_counted" AFTER INSERT OR DELETE ON "Space"
  FOR EACH ROW EXECUTE FUNCTION "count_space"();

-- Whatever takes a key away from its holder, processes that remember the key must hear of it.
INSERT INTO "Revision" ("topic") VALUES ('keys');
CREATE FUNCTION "revise_keys"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "Revision" SET "number" = "number" + 1 WHERE "topic" = 'keys';
  RETURN NULL;
END $$;
CREATE TRIGGER "ApiKey_changed" AFTER UPDATE OF "hash", "scopes", "expiresAt", "revokedAt", "accountId" ON "ApiKey"
  FOR EACH ROW EXECUTE FUNCTION "revise_keys"();
CREATE TRIGGER "ApiKey_deleted" AFTER DELETE ON "ApiKey"
  FOR EACH ROW EXECUTE FUNCTION "revise_keys"();
