-- Tells listening processes at once of what they would otherwise find at their next poll.
CREATE FUNCTION "notify_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('linkspace', NEW."topic");
  RETURN NULL;
END $$;
CREATE TRIGGER "Revision_notified" AFTER UPDATE ON "Revision"
  FOR EACH ROW EXECUTE FUNCTION "notify_revision"();
