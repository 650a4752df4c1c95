-- Rows of the audit log are added, and only those that a transaction declares too old are deleted: it
-- sets parley.audit_delete_before, in milliseconds since the epoch.
CREATE FUNCTION "audit_events_refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF OLD.at < nullif(current_setting('parley.audit_delete_before', true), '')::bigint THEN
			RETURN OLD;
		END IF;
	END IF;
	RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP;
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_events_keep_rows" BEFORE UPDATE OR DELETE ON "audit_events" FOR EACH ROW EXECUTE FUNCTION "audit_events_refuse_change"();--> statement-breakpoint
CREATE TRIGGER "audit_events_keep_table" BEFORE TRUNCATE ON "audit_events" FOR EACH STATEMENT EXECUTE FUNCTION "audit_events_refuse_change"();
