ALTER TABLE "webhooks" ADD COLUMN "is_pulled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "taken_at" bigint;--> statement-breakpoint
CREATE INDEX "webhooks_pulled" ON "webhooks" USING btree ("id") WHERE "webhooks"."is_pulled";--> statement-breakpoint
-- Sends deliveries: each gets a log and a run, unless its webhook is one whose deliveries wait until they are taken. Two deaths of their workers are allowed, as for other runs.
CREATE OR REPLACE FUNCTION send_deliveries(ids bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  sent integer;
BEGIN
  WITH delivery AS (
    SELECT d.id, d.sid, d.workspace_id, d.webhook_id, d.created_at, w.is_pulled,
      CASE WHEN w.is_ordered THEN w.sid || '/' || (d.subject ->> 'conversationId') END AS ordering_key
    FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ANY (ids)
  ),
  log AS (INSERT INTO logs (id, last_seq, fence) SELECT sid, 0, 0 FROM delivery WHERE NOT is_pulled),
  run AS (
    INSERT INTO runs (kind, workspace_id, webhook_id, log_id, subject_id, ordering_key, status, priority, attempt,
      max_attempts, run_after, created_at)
    SELECT 'delivery', workspace_id, webhook_id, sid, id, ordering_key,
      CASE WHEN EXISTS (
        SELECT FROM runs earlier
        WHERE earlier.ordering_key = delivery.ordering_key AND earlier.status <> 'finished'
      ) THEN 'queued' ELSE 'waiting' END,
      0, 0, 2, now(), created_at
    FROM delivery WHERE NOT is_pulled ORDER BY id
  )
  SELECT count(*) INTO sent FROM delivery;
  RETURN sent;
END $$;
