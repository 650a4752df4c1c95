DROP INDEX "runs_waiting";--> statement-breakpoint
CREATE INDEX "runs_waiting_turns" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'agent_turn';--> statement-breakpoint
CREATE INDEX "runs_waiting_invocations" ON "runs" USING btree ("workspace_id","function_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'invocation';--> statement-breakpoint
CREATE INDEX "runs_running_invocations" ON "runs" USING btree ("workspace_id","function_id") WHERE "runs"."status" = 'running' and "runs"."kind" = 'invocation';--> statement-breakpoint
CREATE INDEX "runs_queued" ON "runs" USING btree ("lane","id") WHERE "runs"."status" = 'queued';--> statement-breakpoint
-- Workers that claim invocations take turns, and what the function counts is as it is when the turn has
-- come: unlike the rest of the statement that calls it, it sees what was committed while it waited.
CREATE FUNCTION "lock_running_invocations"("workspace_ids" bigint[])
RETURNS TABLE ("workspace_id" bigint, "function_id" bigint, "running" integer) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(1886680171, 1);
	RETURN QUERY SELECT r.workspace_id, r.function_id, count(*)::integer FROM runs r
		WHERE r.status = 'running' AND r.kind = 'invocation' AND r.workspace_id = ANY (workspace_ids)
		GROUP BY r.workspace_id, r.function_id;
END
$$;
