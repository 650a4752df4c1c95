CREATE TABLE "workspace_storage" (
	"workspace_id" bigint PRIMARY KEY NOT NULL,
	"counted_bytes" bigint DEFAULT 0 NOT NULL,
	"added_bytes" bigint DEFAULT 0 NOT NULL,
	"counted_at" bigint,
	"count_ms" integer DEFAULT 0 NOT NULL,
	"changed_at" bigint DEFAULT 0 NOT NULL,
	"refused_at" bigint DEFAULT 0 NOT NULL,
	"counting_until" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "workspace_storage" ADD CONSTRAINT "workspace_storage_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The first count of each workspace finds what it stores already.
INSERT INTO "workspace_storage" ("workspace_id") SELECT "id" FROM "workspaces";