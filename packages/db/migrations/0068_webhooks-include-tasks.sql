ALTER TABLE "webhooks" ADD COLUMN "includes_tasks" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Tasks are told of to webhooks that include them. What a task waits for is told to the others too, as it is announced on
-- the log of the first answer: about the task, in which it is decided.
CREATE OR REPLACE FUNCTION deliver_to_webhooks(happened json, only_webhook bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  written bigint[];
BEGIN
  WITH delivery AS (
    INSERT INTO webhook_deliveries
      (sid, workspace_id, webhook_id, event, log_id, seq, subject, conversation_id, depth, status, created_at)
    SELECT
      'whd_' || left(encode(sha256(convert_to(concat_ws('/', w.sid, h.log_id, h.seq, h.event), 'UTF8')), 'hex'), 24),
      h.workspace_id, w.id, h.event, h.log_id, h.seq, h.subject, h.conversation_id,
      coalesce(h.depth, 0) + 1, 'waiting',
      coalesce(h.happened_at, (extract(epoch FROM now()) * 1000)::bigint)
    FROM json_to_recordset(happened) AS h (event text, log_id text, seq integer, workspace_id bigint,
      conversation_id bigint, conversation_sid text, space_id bigint, agent_sid text, function_sid text,
      subject jsonb, depth integer, happened_at bigint, is_task boolean, of_task boolean)
    JOIN webhooks w ON w.workspace_id = h.workspace_id
    WHERE CASE WHEN only_webhook IS NULL THEN w.disabled_for IS NULL ELSE w.id = only_webhook END
      AND h.event = ANY (w.events)
      AND CASE WHEN w.includes_tasks THEN NOT coalesce(h.of_task, false) ELSE NOT coalesce(h.is_task, false) END
      AND (w.conversation_ids IS NULL OR h.conversation_sid = ANY (w.conversation_ids))
      AND (w.agent_ids IS NULL OR h.agent_sid = ANY (w.agent_ids))
      AND (w.function_ids IS NULL OR h.function_sid = ANY (w.function_ids))
      AND (w.api_key_id IS NULL OR h.space_id IS NULL OR EXISTS (
        SELECT FROM spaces s WHERE s.id = h.space_id AND (NOT s.is_restricted OR EXISTS (
          SELECT FROM api_key_spaces a WHERE a.api_key_id = w.api_key_id AND a.space_id = s.id
        ))
      ))
    ORDER BY h.log_id, h.seq
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  SELECT array_agg(id) INTO written FROM delivery;
  RETURN coalesce(send_deliveries(written), 0);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION tell_webhooks(events json, only_webhook bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  happened json;
BEGIN
  SELECT json_agg(json_build_object(
    'event', e.event, 'log_id', e.log_id, 'seq', e.seq, 'workspace_id', r.workspace_id, 'conversation_id', c.id,
    'conversation_sid', coalesce(root.sid, c.sid), 'is_task', c.root_id IS NOT NULL, 'of_task', e.of_task IS NOT NULL, 'space_id', c.space_id, 'agent_sid', a.sid, 'function_sid', f.sid,
    'happened_at', e.happened_at, 'depth', r.depth,
    'subject', jsonb_strip_nulls(jsonb_build_object(
      'conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid, 'actionId', coalesce(called.sid, e.action_id),
      'budgets', e.budgets, 'functionId', f.sid,
      'invocationId', CASE WHEN r.kind = 'invocation' THEN e.log_id END
    ) || coalesce(e.of_task, '{}'))
  )) INTO happened
  FROM json_to_recordset(events) AS e (event text, log_id text, seq integer, action_id text, budgets jsonb,
    happened_at bigint, of_task jsonb)
  JOIN runs r ON r.log_id = e.log_id
  LEFT JOIN invocations i ON r.kind = 'invocation' AND i.id = r.subject_id
  LEFT JOIN actions called ON called.id = i.action_id
  LEFT JOIN messages m ON m.id = CASE r.kind WHEN 'agent_turn' THEN r.subject_id ELSE called.message_id END
  LEFT JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN conversations root ON root.id = c.root_id
  LEFT JOIN agents a ON a.id = m.agent_id
  LEFT JOIN sandbox_functions f ON f.id = r.function_id
  WHERE coalesce(c.visibility, '') <> 'temporary' AND f.tool_id IS NULL AND f.client_user_id IS NULL;
  RETURN CASE WHEN happened IS NULL THEN 0 ELSE deliver_to_webhooks(happened, only_webhook) END;
END $$;
