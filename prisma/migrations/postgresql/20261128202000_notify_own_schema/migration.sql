-- The notifications of one installation: a database has the channels of all its schemas. That of `public` stays as it was.
CREATE OR REPLACE FUNCTION "notify_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(
    CASE TG_TABLE_SCHEMA WHEN 'public' THEN 'linkspace' ELSE 'linkspace_' || md5(TG_TABLE_SCHEMA) END,
    NEW."topic");
  RETURN NULL;
END $$;
