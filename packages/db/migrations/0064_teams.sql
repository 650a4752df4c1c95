ALTER TABLE "agents" ADD COLUMN "team" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "parent_action_id" bigint;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "root_id" bigint;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "depth" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "parent_log_id" text;--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_by_call" ON "conversations" USING btree ("parent_action_id") WHERE "conversations"."parent_action_id" is not null;--> statement-breakpoint
CREATE INDEX "conversations_by_root" ON "conversations" USING btree ("root_id") WHERE "conversations"."root_id" is not null;--> statement-breakpoint
CREATE INDEX "runs_by_parent" ON "runs" USING btree ("parent_log_id") WHERE "runs"."parent_log_id" is not null;