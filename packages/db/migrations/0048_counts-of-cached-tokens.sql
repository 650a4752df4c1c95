DROP INDEX "runs_finished";--> statement-breakpoint
ALTER TABLE "activity_minutes" ADD COLUMN "cached_input_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "activity_minutes" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "activity_minutes" ADD COLUMN "reasoning_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "cached_input_tokens" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "cache_write_tokens" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "reasoning_tokens" bigint;--> statement-breakpoint
CREATE INDEX "runs_finished" ON "runs" USING btree ("workspace_id","finished_at","kind","outcome","input_tokens","output_tokens","cached_input_tokens","cache_write_tokens","reasoning_tokens") WHERE "runs"."finished_at" is not null;