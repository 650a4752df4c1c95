CREATE TABLE "document_parts" (
	"view_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"part_id" text NOT NULL,
	"position" integer NOT NULL,
	"start" integer NOT NULL,
	"end" integer NOT NULL,
	"headings" text[] NOT NULL,
	"content" text NOT NULL,
	"language" text NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "document_parts_view_id_node_id_part_id_pk" PRIMARY KEY("view_id","node_id","part_id")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "knowledge" jsonb;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "citations" jsonb;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "divided_at" bigint;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "reached_space_ids" bigint[];--> statement-breakpoint
ALTER TABLE "document_parts" ADD CONSTRAINT "document_parts_of_node" FOREIGN KEY ("view_id","node_id") REFERENCES "public"."data_source_nodes"("view_id","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_parts_by_word" ON "document_parts" USING gin ("words");--> statement-breakpoint
CREATE INDEX "data_source_nodes_undivided" ON "data_source_nodes" USING btree ("view_id","node_id") WHERE "data_source_nodes"."divided_at" is null and "data_source_nodes"."node_type" = 'document';--> statement-breakpoint
CREATE INDEX "runs_waiting_divisions" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'division';