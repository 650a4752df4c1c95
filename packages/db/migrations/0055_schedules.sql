CREATE TABLE "schedule_firings" (
	"schedule_id" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "schedule_firings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"status" text NOT NULL,
	"is_manual" boolean NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"started_at" bigint,
	"conversation_sid" text,
	"message_sid" text,
	"invocation_sid" text,
	"started_log_id" text,
	"reason" text,
	CONSTRAINT "schedule_firings_schedule_id_slot_pk" PRIMARY KEY("schedule_id","slot"),
	CONSTRAINT "schedule_firings_id_unique" UNIQUE("id"),
	CONSTRAINT "schedule_firings_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "schedules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"launch" jsonb NOT NULL,
	"cron" text,
	"every_seconds" integer,
	"anchor" bigint NOT NULL,
	"timezone" text NOT NULL,
	"overlap" text NOT NULL,
	"missed" text NOT NULL,
	"jitter_seconds" integer NOT NULL,
	"paused_for" text,
	"paused_at" bigint,
	"failing_since" bigint,
	"api_key_id" bigint NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "schedules_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "schedule_firings" ADD CONSTRAINT "schedule_firings_schedule_id_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "public"."schedules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "schedule_firings_by_number" ON "schedule_firings" USING btree ("schedule_id","id");--> statement-breakpoint
CREATE INDEX "schedule_firings_open" ON "schedule_firings" USING btree ("schedule_id") WHERE "schedule_firings"."status" in ('planned', 'waiting');--> statement-breakpoint
CREATE INDEX "schedules_by_workspace" ON "schedules" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "schedules_active" ON "schedules" USING btree ("id") WHERE "schedules"."paused_for" is null;--> statement-breakpoint
CREATE INDEX "runs_waiting_firings" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'firing';