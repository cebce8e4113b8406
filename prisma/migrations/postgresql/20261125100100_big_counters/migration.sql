-- The trigger and its function name the type of the column.
DROP TRIGGER "LinkCounter_used_up" ON "LinkCounter";
DROP FUNCTION "end_of_link"(boolean, timestamp, integer, integer);

ALTER TABLE "LinkCounter" ALTER COLUMN "clicks" TYPE BIGINT,
ALTER COLUMN "turns" TYPE BIGINT,
ALTER COLUMN "resets" TYPE BIGINT;

CREATE FUNCTION "end_of_link"(disabled boolean, "expiresAt" timestamp, "clickLimit" integer, clicks bigint) RETURNS timestamp
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN disabled THEN NULL WHEN clicks >= "clickLimit" THEN '1970-01-01'::timestamp ELSE "expiresAt" END
$$;
CREATE TRIGGER "LinkCounter_used_up" BEFORE UPDATE OF "clicks" ON "LinkCounter" FOR EACH ROW
  WHEN (NEW."clickLimit" IS NOT NULL AND (OLD."clicks" >= NEW."clickLimit") <> (NEW."clicks" >= NEW."clickLimit"))
  EXECUTE FUNCTION "end_by_clicks"();
