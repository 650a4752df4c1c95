CREATE SEQUENCE "public"."row_ids" INCREMENT BY 1000 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1000 CACHE 1;--> statement-breakpoint
CREATE TABLE "agents" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "agents_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"is_current" boolean NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"instructions" text,
	"picture_url" text NOT NULL,
	"status" text NOT NULL,
	"scope" text NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"temperature" double precision NOT NULL,
	"max_steps_per_run" integer NOT NULL,
	"template_id" text,
	"script" jsonb,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "actions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "actions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"message_id" bigint NOT NULL,
	"step" integer NOT NULL,
	"position" integer NOT NULL,
	"tool_name" text NOT NULL,
	"function_call_name" text NOT NULL,
	"function_call_id" text NOT NULL,
	"status" text NOT NULL,
	"params" jsonb NOT NULL,
	"output" jsonb,
	"execution_duration_ms" integer,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "actions_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" bigint PRIMARY KEY NOT NULL,
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"space_id" bigint,
	"api_key_id" bigint NOT NULL,
	"title" text NOT NULL,
	"visibility" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"read_at" bigint NOT NULL,
	CONSTRAINT "conversations_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"sid" text PRIMARY KEY NOT NULL,
	"id" bigint NOT NULL,
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"rank" integer NOT NULL,
	"version" integer NOT NULL,
	"type" text NOT NULL,
	"visibility" text NOT NULL,
	"created_at" bigint NOT NULL,
	"content" text NOT NULL,
	"context" jsonb,
	"user_id" bigint,
	"mentions" jsonb,
	"agent_id" bigint,
	"parent_message_id" text,
	"status" text,
	"chain_of_thought" text,
	"raw_contents" jsonb,
	"error" jsonb,
	"model_selection" jsonb,
	"skip_tools_validation" boolean,
	"finished_at" bigint,
	"fragment" jsonb
);
--> statement-breakpoint
CREATE TABLE "data_source_nodes" (
	"view_id" bigint NOT NULL,
	"node_id" text NOT NULL,
	"node_type" text NOT NULL,
	"title" text NOT NULL,
	"content_type" text NOT NULL,
	"content" text NOT NULL,
	"source_url" text,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "data_source_nodes_view_id_node_id_pk" PRIMARY KEY("view_id","node_id")
);
--> statement-breakpoint
CREATE TABLE "data_source_views" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "data_source_views_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"space_id" bigint NOT NULL,
	"name" text NOT NULL,
	"provider" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "data_source_views_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"log_id" text NOT NULL,
	"seq" integer NOT NULL,
	"type" text NOT NULL,
	"payload" text NOT NULL,
	CONSTRAINT "events_log_id_seq_pk" PRIMARY KEY("log_id","seq")
);
--> statement-breakpoint
CREATE TABLE "logs" (
	"id" text PRIMARY KEY NOT NULL,
	"last_seq" integer NOT NULL,
	"fence" integer NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"log_id" text PRIMARY KEY NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"subject_id" bigint NOT NULL,
	"lane" text,
	"status" text NOT NULL,
	"priority" integer NOT NULL,
	"attempt" integer NOT NULL,
	"max_attempts" integer NOT NULL,
	"worker_id" text,
	"lease_until" timestamp with time zone,
	"run_after" timestamp with time zone NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invocations" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "invocations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"api_key_id" bigint NOT NULL,
	"status" text NOT NULL,
	"input" text NOT NULL,
	"timezone" text,
	"result" text,
	"error" jsonb,
	"created_at" bigint NOT NULL,
	"finished_at" bigint,
	CONSTRAINT "invocations_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "sandbox_functions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sandbox_functions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"slug" text NOT NULL,
	"description" text NOT NULL,
	"behaviour" jsonb NOT NULL,
	"retryable" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "sandbox_functions_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "skill_attachments" (
	"skill_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"file_id" text NOT NULL,
	"file_name" text NOT NULL,
	CONSTRAINT "skill_attachments_skill_id_position_pk" PRIMARY KEY("skill_id","position")
);
--> statement-breakpoint
CREATE TABLE "skill_tools" (
	"skill_id" bigint NOT NULL,
	"tool_id" bigint NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "skill_tools_skill_id_tool_id_pk" PRIMARY KEY("skill_id","tool_id")
);
--> statement-breakpoint
CREATE TABLE "skills" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "skills_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"availability" text NOT NULL,
	"agent_facing_description" text NOT NULL,
	"user_facing_description" text NOT NULL,
	"icon" text,
	"source" text,
	"source_metadata" jsonb,
	"reinforcement" text NOT NULL,
	"last_reinforcement_analysis_at" bigint,
	"requested_space_ids" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"manually_requested_space_ids" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"instructions" text,
	"instructions_html" text,
	"edited_by" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "skills_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "tools" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tools_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"space_id" bigint NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"server_type" text NOT NULL,
	"server" jsonb NOT NULL,
	"oauth_use_case" text NOT NULL,
	"is_restricted_to_skills" boolean NOT NULL,
	"edited_by" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "tools_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "api_key_spaces" (
	"api_key_id" bigint NOT NULL,
	"space_id" bigint NOT NULL,
	CONSTRAINT "api_key_spaces_api_key_id_space_id_pk" PRIMARY KEY("api_key_id","space_id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint,
	"user_id" bigint,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"looks_mistyped" boolean NOT NULL,
	"role" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"disabled_at" bigint,
	"revoked_at" bigint,
	CONSTRAINT "api_keys_sid_unique" UNIQUE("sid"),
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "spaces" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "spaces_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"is_restricted" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "spaces_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"username" text NOT NULL,
	"email" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"full_name" text NOT NULL,
	"provider" text NOT NULL,
	"image" text NOT NULL,
	"created_at" bigint NOT NULL,
	"removed_at" bigint,
	CONSTRAINT "users_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "workspaces_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"name" text NOT NULL,
	"segmentation" text,
	"flags" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"sso_enforced" boolean DEFAULT false NOT NULL,
	"white_listed_providers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"default_embedding_provider" text,
	"region" text DEFAULT 'us' NOT NULL,
	"regional_models_only" boolean DEFAULT false NOT NULL,
	"models" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "workspaces_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_source_nodes" ADD CONSTRAINT "data_source_nodes_view_id_data_source_views_id_fk" FOREIGN KEY ("view_id") REFERENCES "public"."data_source_views"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD CONSTRAINT "data_source_views_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "data_source_views" ADD CONSTRAINT "data_source_views_space_id_spaces_id_fk" FOREIGN KEY ("space_id") REFERENCES "public"."spaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD CONSTRAINT "sandbox_functions_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_attachments" ADD CONSTRAINT "skill_attachments_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_tools" ADD CONSTRAINT "skill_tools_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_tools" ADD CONSTRAINT "skill_tools_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skills" ADD CONSTRAINT "skills_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skills" ADD CONSTRAINT "skills_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_space_id_spaces_id_fk" FOREIGN KEY ("space_id") REFERENCES "public"."spaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tools" ADD CONSTRAINT "tools_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_spaces" ADD CONSTRAINT "api_key_spaces_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_spaces" ADD CONSTRAINT "api_key_spaces_space_id_spaces_id_fk" FOREIGN KEY ("space_id") REFERENCES "public"."spaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spaces" ADD CONSTRAINT "spaces_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_by_version" ON "agents" USING btree ("workspace_id","sid","version");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_current" ON "agents" USING btree ("workspace_id","sid") WHERE "agents"."is_current";--> statement-breakpoint
CREATE UNIQUE INDEX "actions_by_message" ON "actions" USING btree ("message_id","step","position");--> statement-breakpoint
CREATE INDEX "conversations_by_workspace" ON "conversations" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_by_rank" ON "messages" USING btree ("conversation_id","rank","version");--> statement-breakpoint
CREATE INDEX "data_source_views_by_workspace" ON "data_source_views" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "runs_waiting" ON "runs" USING btree ("priority","id") WHERE "runs"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "runs_leased" ON "runs" USING btree ("lease_until") WHERE "runs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "runs_unfinished_by_lane" ON "runs" USING btree ("lane","id") WHERE "runs"."status" <> 'finished' and "runs"."lane" is not null;--> statement-breakpoint
CREATE INDEX "invocations_by_function" ON "invocations" USING btree ("function_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "sandbox_functions_by_slug" ON "sandbox_functions" USING btree ("workspace_id","slug");--> statement-breakpoint
CREATE INDEX "skills_by_name" ON "skills" USING btree ("workspace_id","status","name","sid");--> statement-breakpoint
CREATE INDEX "tools_by_workspace" ON "tools" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "api_keys_by_workspace" ON "api_keys" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "spaces_by_workspace" ON "spaces" USING btree ("workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_by_email" ON "users" USING btree ("workspace_id",lower("email")) WHERE "users"."email" <> '' and "users"."removed_at" is null;