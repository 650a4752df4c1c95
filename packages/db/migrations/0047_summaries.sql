CREATE TABLE "conversation_summaries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "conversation_summaries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"status" text NOT NULL,
	"from_rank" integer,
	"to_rank" integer,
	"contains_number" integer,
	"contains_to_rank" integer,
	"text" text,
	"carried" jsonb,
	"progress" jsonb,
	"answer_id" text NOT NULL,
	"agent_id" bigint NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"steps" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" jsonb,
	"held_until_rank" integer,
	"created_at" bigint NOT NULL,
	"finished_at" bigint,
	"undone_at" bigint,
	"undone_by" bigint,
	CONSTRAINT "conversation_summaries_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "compaction" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "conversation_summaries_by_number" ON "conversation_summaries" USING btree ("conversation_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "conversation_summaries_pending" ON "conversation_summaries" USING btree ("conversation_id") WHERE "conversation_summaries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "conversation_summaries_active" ON "conversation_summaries" USING btree ("conversation_id","to_rank") WHERE "conversation_summaries"."status" = 'active';--> statement-breakpoint
CREATE INDEX "conversation_summaries_by_workspace" ON "conversation_summaries" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "runs_waiting_compactions" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'compaction';