ALTER TABLE "runs" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "traceparent" text;