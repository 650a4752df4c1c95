ALTER TABLE "workspaces" ADD COLUMN "deleted_at" bigint;--> statement-breakpoint
CREATE INDEX "skill_attachments_by_file" ON "skill_attachments" USING btree ("file_id");--> statement-breakpoint
-- What writes into workspaces without a foreign key calls it in the statement that writes: it waits for
-- a deletion that begins, lets none begin before its transaction ends, and refuses what is deleted. Each
-- of its own statements sees what was committed while it waited, unlike the statement that calls it.
CREATE FUNCTION "hold_workspaces"("workspace_ids" bigint[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	PERFORM pg_advisory_xact_lock_shared(1886680172, held.id::integer)
		FROM (SELECT DISTINCT unnest(workspace_ids) AS id ORDER BY 1) held;
	IF EXISTS (
		SELECT 1 FROM unnest(workspace_ids) AS held(id) LEFT JOIN workspaces w ON w.id = held.id
		WHERE w.id IS NULL OR w.deleted_at IS NOT NULL
	) THEN
		RAISE foreign_key_violation USING MESSAGE = 'A workspace was deleted', CONSTRAINT = 'held_workspaces';
	END IF;
	RETURN true;
END
$$;
