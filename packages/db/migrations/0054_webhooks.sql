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
CREATE INDEX "runs_queued_of_kind" ON "runs" USING btree ("workspace_id","kind") WHERE "runs"."status" = 'queued';