CREATE TABLE "data_source_rows" (
	"view_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"row_id" text NOT NULL,
	"position" bigint NOT NULL,
	"cells" jsonb NOT NULL,
	CONSTRAINT "data_source_rows_view_id_node_id_row_id_pk" PRIMARY KEY("view_id","node_id","row_id")
);
--> statement-breakpoint
CREATE TABLE "data_source_tables" (
	"view_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"columns" jsonb NOT NULL,
	"row_count" integer DEFAULT 0 NOT NULL,
	"row_bytes" bigint DEFAULT 0 NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "data_source_tables_view_id_node_id_pk" PRIMARY KEY("view_id","node_id")
);
--> statement-breakpoint
ALTER TABLE "data_source_rows" ADD CONSTRAINT "data_source_rows_of_table" FOREIGN KEY ("view_id","node_id") REFERENCES "public"."data_source_tables"("view_id","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_source_tables" ADD CONSTRAINT "data_source_tables_of_node" FOREIGN KEY ("view_id","node_id") REFERENCES "public"."data_source_nodes"("view_id","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "data_source_rows_by_position" ON "data_source_rows" USING btree ("view_id","node_id","position");