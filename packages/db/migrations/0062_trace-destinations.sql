CREATE TABLE "trace_destinations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trace_destinations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"is_of_server" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"encoding" text NOT NULL,
	"headers" jsonb,
	"header_names" text[] NOT NULL,
	"sends_content" boolean NOT NULL,
	"percent" double precision NOT NULL,
	"slow_ms" integer,
	"is_enabled" boolean NOT NULL,
	"exported_until" bigint NOT NULL,
	"exported_run_id" bigint DEFAULT 0 NOT NULL,
	"again_from" bigint,
	"again_run_id" bigint,
	"again_to" bigint,
	"is_test_wanted" boolean DEFAULT false NOT NULL,
	"failing_since" bigint,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_attempt" jsonb,
	"sent_spans" bigint DEFAULT 0 NOT NULL,
	"rejected_spans" bigint DEFAULT 0 NOT NULL,
	"skipped_runs" bigint DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "trace_destinations_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "trace_destinations" ADD CONSTRAINT "trace_destinations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trace_destinations_by_workspace" ON "trace_destinations" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "trace_destinations_of_server" ON "trace_destinations" USING btree ("workspace_id") WHERE "trace_destinations"."is_of_server";--> statement-breakpoint
CREATE INDEX "runs_waiting_trace_exports" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'trace_export';