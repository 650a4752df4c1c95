ALTER TABLE "data_source_nodes" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "parents" text[];--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "timestamp" bigint;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "provider_visibility" text;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "created_at" bigint;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "content_hash" text;--> statement-breakpoint
UPDATE "data_source_nodes" SET "parents" = ARRAY["node_id"], "timestamp" = "updated_at", "created_at" = "updated_at",
	"content_hash" = encode(sha256(convert_to("content", 'UTF8')), 'hex');--> statement-breakpoint
ALTER TABLE "data_source_nodes" ALTER COLUMN "parents" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ALTER COLUMN "timestamp" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ALTER COLUMN "created_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ALTER COLUMN "content_hash" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "search" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('simple', "title"), 'A') || setweight(to_tsvector('simple', left("content", 65536)), 'D') || array_to_tsvector(ARRAY['view ' || "view_id"::text])) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "data_source_sid" text;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "description" text;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "parents_in" text[];--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "node_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "content_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD COLUMN "updated_at" bigint;--> statement-breakpoint
-- Views from before become data sources: their ids differ in the prefix only.
UPDATE "data_source_views" SET "data_source_sid" = 'dts_' || split_part("sid", '_', 2), "updated_at" = "created_at",
	"node_count" = (SELECT count(*) FROM "data_source_nodes" WHERE "view_id" = "data_source_views"."id"),
	"content_bytes" = (SELECT coalesce(sum(octet_length("content")), 0) FROM "data_source_nodes" WHERE "view_id" = "data_source_views"."id");--> statement-breakpoint
ALTER TABLE "data_source_views" ALTER COLUMN "data_source_sid" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "data_source_views" ALTER COLUMN "updated_at" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_word" ON "data_source_nodes" USING gin ("search");--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_title" ON "data_source_nodes" USING btree ("view_id",lower("title") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_url" ON "data_source_nodes" USING hash ("source_url");--> statement-breakpoint
CREATE INDEX "data_source_views_by_space" ON "data_source_views" USING btree ("space_id");--> statement-breakpoint
CREATE UNIQUE INDEX "data_source_views_by_source" ON "data_source_views" USING btree ("data_source_sid");--> statement-breakpoint
DROP INDEX "conversations_by_space";--> statement-breakpoint
CREATE INDEX "conversations_by_space" ON "conversations" USING btree ("space_id","position") WHERE "conversations"."space_id" is not null;