DROP INDEX "data_source_nodes_by_title";--> statement-breakpoint
DROP INDEX "data_source_nodes_by_embedding";--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_title" ON "data_source_nodes" USING btree ("view_id",lower("title") text_pattern_ops) WHERE lower("data_source_nodes"."title") is not null;--> statement-breakpoint
CREATE INDEX "data_source_nodes_by_embedding" ON "data_source_nodes" USING btree ("view_id","embedded_set") WHERE "data_source_nodes"."node_type" = 'document' and "data_source_nodes"."embedded_set" >= 0;