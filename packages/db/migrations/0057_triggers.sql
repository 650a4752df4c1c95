CREATE TABLE "trigger_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trigger_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"trigger_id" bigint NOT NULL,
	"once_key" text,
	"status" text NOT NULL,
	"is_sample" boolean DEFAULT false NOT NULL,
	"headers" jsonb,
	"body" "bytea",
	"bytes" integer NOT NULL,
	"depth" integer DEFAULT 0 NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"message" text,
	"started" jsonb,
	"error" text,
	"created_at" bigint NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "trigger_events_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "triggers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "triggers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"source" jsonb NOT NULL,
	"target" jsonb NOT NULL,
	"mapping" jsonb,
	"key_expression" text,
	"events_per_minute" integer NOT NULL,
	"max_bytes" integer NOT NULL,
	"secret" jsonb NOT NULL,
	"previous_secret" jsonb,
	"previous_secret_until" bigint,
	"disabled_for" text,
	"disabled_at" bigint,
	"failing_since" bigint,
	"api_key_id" bigint NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "triggers_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "trigger_id" bigint;--> statement-breakpoint
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trigger_events_by_trigger" ON "trigger_events" USING btree ("trigger_id","id");--> statement-breakpoint
CREATE INDEX "trigger_events_by_creation" ON "trigger_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "trigger_events_failed" ON "trigger_events" USING btree ("trigger_id","id") WHERE "trigger_events"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "trigger_events_waiting" ON "trigger_events" USING btree ("trigger_id") WHERE "trigger_events"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "trigger_events_by_workspace" ON "trigger_events" USING btree ("workspace_id") WHERE "trigger_events"."body" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "trigger_events_once" ON "trigger_events" USING btree ("trigger_id","once_key");--> statement-breakpoint
CREATE INDEX "triggers_by_workspace" ON "triggers" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "runs_waiting_trigger_events" ON "runs" USING btree ("workspace_id","trigger_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'trigger_event';--> statement-breakpoint
CREATE INDEX "runs_of_triggers" ON "runs" USING btree ("trigger_id") WHERE "runs"."trigger_id" is not null;