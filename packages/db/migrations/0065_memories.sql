CREATE TABLE "memory_files" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memory_files_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"scope_id" bigint NOT NULL,
	"path" text NOT NULL,
	"content" text NOT NULL,
	"bytes" integer NOT NULL,
	"version" integer NOT NULL,
	"derived_from" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "memory_files_sid_unique" UNIQUE("sid"),
	CONSTRAINT "memory_files_by_path" UNIQUE("scope_id","path")
);
--> statement-breakpoint
CREATE TABLE "memory_proposals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memory_proposals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"scope_id" bigint NOT NULL,
	"change" text NOT NULL,
	"path" text NOT NULL,
	"new_path" text,
	"content" text,
	"base_version" integer,
	"origin" jsonb NOT NULL,
	"derived_from" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "memory_proposals_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "memory_scopes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memory_scopes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"scope" text NOT NULL,
	"user_id" bigint,
	"agent_sid" text,
	"space_id" bigint,
	CONSTRAINT "memory_scopes_by_owner" UNIQUE NULLS NOT DISTINCT("workspace_id","scope","user_id","agent_sid","space_id")
);
--> statement-breakpoint
CREATE TABLE "memory_versions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memory_versions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"file_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"path" text NOT NULL,
	"content" text NOT NULL,
	"origin" jsonb NOT NULL,
	"derived_from" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "memory_versions_by_file" UNIQUE("file_id","version")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "memory" jsonb;--> statement-breakpoint
ALTER TABLE "memory_files" ADD CONSTRAINT "memory_files_scope_id_memory_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."memory_scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_proposals" ADD CONSTRAINT "memory_proposals_scope_id_memory_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."memory_scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_scopes" ADD CONSTRAINT "memory_scopes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_scopes" ADD CONSTRAINT "memory_scopes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_scopes" ADD CONSTRAINT "memory_scopes_space_id_spaces_id_fk" FOREIGN KEY ("space_id") REFERENCES "public"."spaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memory_versions" ADD CONSTRAINT "memory_versions_file_id_memory_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."memory_files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "memory_proposals_by_scope" ON "memory_proposals" USING btree ("scope_id","id");--> statement-breakpoint
CREATE INDEX "memory_scopes_by_user" ON "memory_scopes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "memory_scopes_by_space" ON "memory_scopes" USING btree ("space_id");