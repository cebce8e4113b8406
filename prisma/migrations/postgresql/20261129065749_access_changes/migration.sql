-- CreateTable
CREATE TABLE "AccessChange" (
    "number" INTEGER NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "recordId" INTEGER NOT NULL,

    CONSTRAINT "AccessChange_pkey" PRIMARY KEY ("number")
);

-- The trigger of all tables that give access: each change has a number of its own, in the order of the commits, since the row of the
-- number is locked until then.
CREATE OR REPLACE FUNCTION "revise_keys"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  revised integer;
BEGIN
  UPDATE "Revision" SET "number" = ("number" + 1) % 2147483647 WHERE "topic" = 'keys' RETURNING "number" INTO revised;
  INSERT INTO "AccessChange" ("number", "kind", "recordId") VALUES (revised, TG_TABLE_NAME, OLD."id")
    ON CONFLICT ("number") DO UPDATE SET "kind" = EXCLUDED."kind", "recordId" = EXCLUDED."recordId";
  DELETE FROM "AccessChange" WHERE "number" = revised - 10000;
  RETURN NULL;
END $$;
