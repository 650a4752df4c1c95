CREATE TABLE "skill_versions" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "skill_versions" ADD CONSTRAINT "skill_versions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The argument says by which column a row belongs to its workspace. A row that is gone together with
-- its skill or key needs no lookup: the skill's own trigger has raised the version.
CREATE FUNCTION "raise_skill_version"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	changed record := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
	workspace bigint;
BEGIN
	IF TG_ARGV[0] = 'workspace_id' THEN
		workspace := changed.workspace_id;
	ELSIF TG_ARGV[0] = 'skill_id' THEN
		SELECT s.workspace_id INTO workspace FROM skills s WHERE s.id = changed.skill_id;
	ELSE
		SELECT k.workspace_id INTO workspace FROM api_keys k WHERE k.id = changed.api_key_id;
	END IF;
	-- A transaction that changes many rows writes once.
	INSERT INTO skill_versions AS known (workspace_id, version)
		SELECT w.id, pg_current_xact_id()::text::bigint FROM workspaces w WHERE w.id = workspace
		ON CONFLICT (workspace_id) DO UPDATE SET version = excluded.version
		WHERE known.version <> excluded.version;
	RETURN NULL;
END $$;--> statement-breakpoint
-- Deferred to the commit: the version is the last row that a transaction locks, so that transactions
-- which change skills in any order never wait for each other in a circle.
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "skills"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('workspace_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "skill_attachments"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('skill_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "skill_tools"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('skill_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "tools"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('workspace_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "spaces"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('workspace_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "api_key_spaces"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('api_key_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER UPDATE ON "api_keys"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('workspace_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER UPDATE ON "users"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('workspace_id');--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "raise_skill_version" AFTER INSERT OR UPDATE OR DELETE ON "skill_editors"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "raise_skill_version"('skill_id');
