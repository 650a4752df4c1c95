-- Like lock_running_invocations, for writers of invocations, who do not wait for their turn: where another
-- has it, the only row is of no workspace.
CREATE FUNCTION "try_lock_running_invocations"("workspace_ids" bigint[])
RETURNS TABLE ("workspace_id" bigint, "function_id" bigint, "running" integer) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF cardinality(workspace_ids) = 0 THEN
		RETURN;
	ELSIF NOT pg_try_advisory_xact_lock(1886680171, 1) THEN
		RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::integer;
		RETURN;
	END IF;
	RETURN QUERY SELECT r.workspace_id, r.function_id, count(*)::integer FROM runs r
		WHERE r.status = 'running' AND r.kind = 'invocation' AND r.workspace_id = ANY (workspace_ids)
		GROUP BY r.workspace_id, r.function_id;
END
$$;
