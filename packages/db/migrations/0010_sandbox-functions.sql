CREATE TABLE "agent_functions" (
	"agent_id" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "agent_functions_agent_id_function_id_pk" PRIMARY KEY("agent_id","function_id")
);
--> statement-breakpoint
CREATE TABLE "function_approvals" (
	"user_id" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "function_approvals_user_id_function_id_pk" PRIMARY KEY("user_id","function_id")
);
--> statement-breakpoint
CREATE TABLE "sandbox_function_versions" (
	"function_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"description" text NOT NULL,
	"behaviour" jsonb NOT NULL,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"timeout_ms" integer DEFAULT 60000 NOT NULL,
	"max_output_bytes" integer DEFAULT 262144 NOT NULL,
	"max_log_lines" integer DEFAULT 1000 NOT NULL,
	"max_concurrent" integer DEFAULT 20 NOT NULL,
	"retryable" boolean NOT NULL,
	"stake" text DEFAULT 'low' NOT NULL,
	"edited_by" bigint,
	"created_at" bigint NOT NULL,
	CONSTRAINT "sandbox_function_versions_function_id_version_pk" PRIMARY KEY("function_id","version")
);
--> statement-breakpoint
-- What a function does so far is its first version.
INSERT INTO "sandbox_function_versions" ("function_id", "version", "description", "behaviour", "retryable", "created_at")
	SELECT "id", 1, "description", "behaviour", "retryable", "created_at" FROM "sandbox_functions";--> statement-breakpoint
ALTER TABLE "invocations" ALTER COLUMN "api_key_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "function_id" bigint;--> statement-breakpoint
UPDATE "runs" SET "function_id" = "invocations"."function_id" FROM "invocations"
	WHERE "runs"."log_id" = "invocations"."sid" AND "runs"."status" <> 'finished';--> statement-breakpoint
ALTER TABLE "invocations" ADD COLUMN "function_version" integer NOT NULL DEFAULT 1;--> statement-breakpoint
ALTER TABLE "invocations" ALTER COLUMN "function_version" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "invocations" ADD COLUMN "action_id" bigint;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD COLUMN "status" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD COLUMN "updated_at" bigint;--> statement-breakpoint
UPDATE "sandbox_functions" SET "updated_at" = "created_at";--> statement-breakpoint
ALTER TABLE "sandbox_functions" ALTER COLUMN "updated_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_functions" ADD CONSTRAINT "agent_functions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_functions" ADD CONSTRAINT "agent_functions_function_id_sandbox_functions_id_fk" FOREIGN KEY ("function_id") REFERENCES "public"."sandbox_functions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "function_approvals" ADD CONSTRAINT "function_approvals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "function_approvals" ADD CONSTRAINT "function_approvals_function_id_sandbox_functions_id_fk" FOREIGN KEY ("function_id") REFERENCES "public"."sandbox_functions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_function_versions" ADD CONSTRAINT "sandbox_function_versions_function_id_sandbox_functions_id_fk" FOREIGN KEY ("function_id") REFERENCES "public"."sandbox_functions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sandbox_function_versions" ADD CONSTRAINT "sandbox_function_versions_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_parked" ON "runs" USING btree ("run_after") WHERE "runs"."status" = 'parked';--> statement-breakpoint
CREATE UNIQUE INDEX "invocations_by_action" ON "invocations" USING btree ("action_id") WHERE "invocations"."action_id" is not null;--> statement-breakpoint
ALTER TABLE "sandbox_functions" DROP COLUMN "description";--> statement-breakpoint
ALTER TABLE "sandbox_functions" DROP COLUMN "behaviour";--> statement-breakpoint
ALTER TABLE "sandbox_functions" DROP COLUMN "retryable";