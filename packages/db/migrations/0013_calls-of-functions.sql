ALTER TABLE "actions" ADD COLUMN "log_id" text;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "decision" text;