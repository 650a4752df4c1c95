CREATE TABLE "webhook_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"webhook_id" bigint NOT NULL,
	"event" text NOT NULL,
	"log_id" text,
	"seq" integer,
	"subject" jsonb NOT NULL,
	"conversation_id" bigint,
	"depth" integer DEFAULT 1 NOT NULL,
	"status" text NOT NULL,
	"created_at" bigint NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"finished_at" bigint,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"earlier_attempts" integer DEFAULT 0 NOT NULL,
	"response_body" text,
	CONSTRAINT "webhook_deliveries_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhooks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"events" text[] NOT NULL,
	"conversation_ids" text[],
	"agent_ids" text[],
	"function_ids" text[],
	"sends_content" boolean NOT NULL,
	"is_ordered" boolean NOT NULL,
	"secret" jsonb NOT NULL,
	"previous_secret" jsonb,
	"previous_secret_until" bigint,
	"disabled_for" text,
	"disabled_at" bigint,
	"failing_since" bigint,
	"api_key_id" bigint,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "webhooks_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
DROP INDEX "runs_queued_of_workspace";--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "webhook_id" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "depth" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_webhook" ON "webhook_deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_conversation" ON "webhook_deliveries" USING btree ("conversation_id") WHERE "webhook_deliveries"."conversation_id" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("webhook_id","id") WHERE "webhook_deliveries"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("webhook_id") WHERE "webhook_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended" ON "webhook_deliveries" USING btree ("finished_at") WHERE "webhook_deliveries"."finished_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_by_event" ON "webhook_deliveries" USING btree ("webhook_id","log_id","seq","event");--> statement-breakpoint
CREATE INDEX "webhooks_by_workspace" ON "webhooks" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "webhooks_enabled" ON "webhooks" USING btree ("workspace_id") WHERE "webhooks"."disabled_for" is null;--> statement-breakpoint
CREATE INDEX "runs_waiting_deliveries" ON "runs" USING btree ("workspace_id","webhook_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'delivery';--> statement-breakpoint
CREATE INDEX "runs_of_webhooks" ON "runs" USING btree ("webhook_id") WHERE "runs"."webhook_id" is not null;--> statement-breakpoint
CREATE INDEX "runs_queued_of_kind" ON "runs" USING btree ("workspace_id","kind") WHERE "runs"."status" = 'queued';--> statement-breakpoint
-- Sends deliveries: each gets a log and a run. Two deaths of their workers are allowed, as for other runs.
CREATE FUNCTION send_deliveries(ids bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  sent integer;
BEGIN
  WITH delivery AS (
    SELECT d.id, d.sid, d.workspace_id, d.webhook_id, d.created_at,
      CASE WHEN w.is_ordered THEN w.sid || '/' || (d.subject ->> 'conversationId') END AS ordering_key
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ANY (ids)
  ),
  log AS (INSERT INTO logs (id, last_seq, fence) SELECT sid, 0, 0 FROM delivery),
  run AS (
    INSERT INTO runs (kind, workspace_id, webhook_id, log_id, subject_id, ordering_key, status, priority, attempt,
      max_attempts, run_after, created_at)
    SELECT 'delivery', workspace_id, webhook_id, sid, id, ordering_key,
      CASE WHEN EXISTS (
        SELECT FROM runs earlier
        WHERE earlier.ordering_key = delivery.ordering_key AND earlier.status <> 'finished'
      ) THEN 'queued' ELSE 'waiting' END,
      0, 0, 2, now(), created_at
    FROM delivery ORDER BY id
    RETURNING log_id
  )
  SELECT count(*) INTO sent FROM run;
  RETURN sent;
END $$;
--> statement-breakpoint
-- Writes and sends a delivery of each thing that happened to each webhook that wants it, or to one alone, and gives
-- their number. Its id is made of what happened, so that nothing is delivered under two ids.
CREATE FUNCTION deliver_to_webhooks(happened json, only_webhook bigint) RETURNS integer LANGUAGE plpgsql AS $$
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
      subject jsonb, depth integer, happened_at bigint)
    JOIN webhooks w ON w.workspace_id = h.workspace_id
    WHERE CASE WHEN only_webhook IS NULL THEN w.disabled_for IS NULL ELSE w.id = only_webhook END
      AND h.event = ANY (w.events)
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
-- The same for events of the logs of answers and invocations. An invocation by an agent belongs to the conversation of
-- its call. What happens in a temporary conversation, and calls of tools, are told to nobody.
CREATE FUNCTION tell_webhooks(events json, only_webhook bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  happened json;
BEGIN
  SELECT json_agg(json_build_object(
    'event', e.event, 'log_id', e.log_id, 'seq', e.seq, 'workspace_id', r.workspace_id, 'conversation_id', c.id,
    'conversation_sid', c.sid, 'space_id', c.space_id, 'agent_sid', a.sid, 'function_sid', f.sid,
    'happened_at', e.happened_at, 'depth', r.depth,
    'subject', jsonb_strip_nulls(jsonb_build_object(
      'conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid, 'actionId', coalesce(called.sid, e.action_id),
      'budgets', e.budgets, 'functionId', f.sid,
      'invocationId', CASE WHEN r.kind = 'invocation' THEN e.log_id END
    ))
  )) INTO happened
  FROM json_to_recordset(events) AS e (event text, log_id text, seq integer, action_id text, budgets jsonb,
    happened_at bigint)
  JOIN runs r ON r.log_id = e.log_id
  LEFT JOIN invocations i ON r.kind = 'invocation' AND i.id = r.subject_id
  LEFT JOIN actions called ON called.id = i.action_id
  LEFT JOIN messages m ON m.id = CASE r.kind WHEN 'agent_turn' THEN r.subject_id ELSE called.message_id END
  LEFT JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN agents a ON a.id = m.agent_id
  LEFT JOIN sandbox_functions f ON f.id = r.function_id
  WHERE coalesce(c.visibility, '') <> 'temporary' AND f.tool_id IS NULL AND f.client_user_id IS NULL;
  RETURN CASE WHEN happened IS NULL THEN 0 ELSE deliver_to_webhooks(happened, only_webhook) END;
END $$;
