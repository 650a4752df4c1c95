CREATE TABLE "web_pages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "web_pages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"web_source_id" bigint NOT NULL,
	"url" text NOT NULL,
	"refresh" integer NOT NULL,
	"depth" integer NOT NULL,
	"is_map" boolean NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"status" integer,
	"node_id" text,
	"etag" text,
	"last_modified" text,
	"links" text[] NOT NULL,
	"checked_at" bigint,
	CONSTRAINT "web_pages_by_url" UNIQUE("web_source_id","url")
);
--> statement-breakpoint
CREATE TABLE "web_sources" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "web_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"view_id" bigint NOT NULL,
	"url" text NOT NULL,
	"kind" text NOT NULL,
	"depth" integer NOT NULL,
	"max_pages" integer NOT NULL,
	"tags" text[] NOT NULL,
	"cron" text,
	"every_seconds" integer,
	"anchor" bigint NOT NULL,
	"timezone" text NOT NULL,
	"refresh" integer DEFAULT 0 NOT NULL,
	"refresh_started_at" bigint,
	"next_refresh_at" bigint,
	"removed_pages" integer DEFAULT 0 NOT NULL,
	"last_refresh" jsonb,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "web_sources_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD COLUMN "division_failure" text;--> statement-breakpoint
ALTER TABLE "web_pages" ADD CONSTRAINT "web_pages_web_source_id_web_sources_id_fk" FOREIGN KEY ("web_source_id") REFERENCES "public"."web_sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "web_sources" ADD CONSTRAINT "web_sources_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "web_sources" ADD CONSTRAINT "web_sources_view_id_data_source_views_id_fk" FOREIGN KEY ("view_id") REFERENCES "public"."data_source_views"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "web_pages_of_refresh" ON "web_pages" USING btree ("web_source_id","refresh","state","depth","id");--> statement-breakpoint
CREATE INDEX "web_sources_by_workspace" ON "web_sources" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "web_sources_by_view" ON "web_sources" USING btree ("view_id");--> statement-breakpoint
CREATE INDEX "web_sources_due" ON "web_sources" USING btree ("next_refresh_at") WHERE "web_sources"."next_refresh_at" is not null;--> statement-breakpoint
CREATE INDEX "data_source_nodes_failed" ON "data_source_nodes" USING btree ("view_id","node_id") WHERE "data_source_nodes"."division_failure" is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting_web_refreshes" ON "runs" USING btree ("workspace_id","priority","id") WHERE "runs"."status" = 'waiting' and "runs"."kind" = 'web_refresh';