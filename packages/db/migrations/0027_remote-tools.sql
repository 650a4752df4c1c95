CREATE TABLE "agent_tools" (
	"agent_id" bigint NOT NULL,
	"tool_id" bigint NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "agent_tools_agent_id_tool_id_pk" PRIMARY KEY("agent_id","tool_id")
);
--> statement-breakpoint
CREATE TABLE "conversation_tools" (
	"conversation_id" bigint NOT NULL,
	"tool_id" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "conversation_tools_conversation_id_tool_id_pk" PRIMARY KEY("conversation_id","tool_id")
);
--> statement-breakpoint
CREATE TABLE "tool_approvals" (
	"user_id" bigint NOT NULL,
	"tool_id" bigint NOT NULL,
	"tool_name" text NOT NULL,
	"agent_sid" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "tool_approvals_user_id_tool_id_tool_name_agent_sid_pk" PRIMARY KEY("user_id","tool_id","tool_name","agent_sid")
);
--> statement-breakpoint
CREATE TABLE "tool_connections" (
	"tool_id" bigint PRIMARY KEY NOT NULL,
	"function_id" bigint NOT NULL,
	"url" text NOT NULL,
	"headers" jsonb,
	"header_names" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"oauth" jsonb,
	"client_secret" jsonb,
	"token" jsonb,
	"token_until" bigint DEFAULT 0 NOT NULL,
	"stakes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"default_stake" text NOT NULL,
	"retryable_tools" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"refreshed_at" bigint NOT NULL,
	"fault" text
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "asks_user" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "mcp_server_id" text;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "stake" text;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "generated_files" jsonb;--> statement-breakpoint
ALTER TABLE "actions" ADD COLUMN "workspace_id" bigint;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD COLUMN "tool_id" bigint;--> statement-breakpoint
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_tools" ADD CONSTRAINT "conversation_tools_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_approvals" ADD CONSTRAINT "tool_approvals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_approvals" ADD CONSTRAINT "tool_approvals_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_connections" ADD CONSTRAINT "tool_connections_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_tools_by_tool" ON "agent_tools" USING btree ("tool_id");--> statement-breakpoint
CREATE INDEX "conversation_tools_by_tool" ON "conversation_tools" USING btree ("tool_id");--> statement-breakpoint
CREATE INDEX "tool_approvals_by_tool" ON "tool_approvals" USING btree ("tool_id");--> statement-breakpoint
CREATE INDEX "actions_blocked" ON "actions" USING btree ("workspace_id","id") WHERE starts_with("actions"."status", 'blocked_');--> statement-breakpoint
UPDATE "actions" SET "workspace_id" = m."workspace_id" FROM "messages" m WHERE m."sid" = "actions"."log_id" AND starts_with("actions"."status", 'blocked_');
