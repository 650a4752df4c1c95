-- Rows of these tables are updated soon after they were written. Room on their page lets PostgreSQL
-- put the new version beside the old one, without writing to the indexes again.
ALTER TABLE "logs" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "runs" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "messages" SET (fillfactor = 70);
