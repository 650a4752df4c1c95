-- Unlogged: what they hold is made again, or is of use for a day; their writes wait for no disk.
CREATE UNLOGGED TABLE "activity_minutes" (
	"workspace_id" bigint NOT NULL,
	"minute" bigint NOT NULL,
	"conversations" integer NOT NULL,
	"turns" integer NOT NULL,
	"turns_errored" integer NOT NULL,
	"invocations" integer NOT NULL,
	"invocations_errored" integer NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	CONSTRAINT "activity_minutes_workspace_id_minute_pk" PRIMARY KEY("workspace_id","minute")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "load_samples" (
	"workspace_id" bigint NOT NULL,
	"minute" bigint NOT NULL,
	"process_id" text NOT NULL,
	"waiting_runs" integer DEFAULT 0 NOT NULL,
	"oldest_waiting_ms" bigint DEFAULT 0 NOT NULL,
	"open_streams" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "load_samples_workspace_id_minute_process_id_pk" PRIMARY KEY("workspace_id","minute","process_id")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "started_at" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "finished_at" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "outcome" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "input_tokens" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "output_tokens" bigint;--> statement-breakpoint
CREATE INDEX "activity_minutes_by_time" ON "activity_minutes" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "load_samples_by_time" ON "load_samples" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "conversations_by_creation" ON "conversations" USING btree ("workspace_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_by_creation" ON "runs" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "runs_finished" ON "runs" USING btree ("workspace_id","finished_at","kind","outcome","input_tokens","output_tokens") WHERE "runs"."finished_at" is not null;