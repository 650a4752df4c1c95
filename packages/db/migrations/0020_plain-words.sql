ALTER TABLE "runs" RENAME COLUMN "lane" TO "ordering_key";--> statement-breakpoint
ALTER INDEX "runs_unfinished_by_lane" RENAME TO "runs_unfinished_by_ordering_key";--> statement-breakpoint
DROP INDEX "runs_parked";--> statement-breakpoint
UPDATE "runs" SET "status" = 'suspended' WHERE "status" = 'parked';--> statement-breakpoint
CREATE INDEX "runs_suspended" ON "runs" USING btree ("run_after") WHERE "runs"."status" = 'suspended';--> statement-breakpoint
ALTER TABLE "provider_credentials" RENAME COLUMN "sealed" TO "ciphertext";--> statement-breakpoint
ALTER TABLE "audit_events" RENAME COLUMN "address" TO "client_ip";--> statement-breakpoint
ALTER TABLE "idempotency_keys" RENAME COLUMN "made" TO "created_id";
