CREATE TABLE "embedding_sets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "embedding_sets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"asked_dimensions" integer,
	"dimensions" integer,
	"status" text NOT NULL,
	"stop" text,
	"problem" text,
	"retry_at" bigint,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"completed_at" bigint
);
--> statement-breakpoint
CREATE TABLE "part_vectors" (
	"view_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"part_id" text NOT NULL,
	"set_id" bigint NOT NULL,
	"vector" "bytea" NOT NULL,
	"signs" "varbit" NOT NULL,
	CONSTRAINT "part_vectors_view_id_node_id_part_id_set_id_pk" PRIMARY KEY("view_id","node_id","part_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "embedded_set" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "embedding" jsonb;--> statement-breakpoint
ALTER TABLE "embedding_sets" ADD CONSTRAINT "embedding_sets_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "part_vectors" ADD CONSTRAINT "part_vectors_of_part" FOREIGN KEY ("view_id","node_id","part_id") REFERENCES "public"."document_parts"("view_id","node_id","part_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "embedding_sets_by_workspace" ON "embedding_sets" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "embedding_sets_removed" ON "embedding_sets" USING btree ("id") WHERE "embedding_sets"."status" = 'removed';--> statement-breakpoint
CREATE INDEX "part_vectors_by_set" ON "part_vectors" USING btree ("set_id","view_id");--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_embedding" ON "data_source_nodes" USING btree ("view_id","embedded_set") WHERE "data_source_nodes"."node_type" = 'document';--> statement-breakpoint
CREATE INDEX "runs_waiting_embeddings" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'embedding';--> statement-breakpoint
CREATE UNIQUE INDEX "runs_of_embedded_views" ON "runs" USING btree ("subject_id") WHERE "runs"."kind" = 'embedding';