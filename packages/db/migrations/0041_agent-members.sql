CREATE TABLE "agent_editors" (
	"workspace_id" bigint NOT NULL,
	"agent_sid" text NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "agent_editors_workspace_id_agent_sid_user_id_pk" PRIMARY KEY("workspace_id","agent_sid","user_id")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "reasoning_effort" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "tags" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_editors" ADD CONSTRAINT "agent_editors_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_editors" ADD CONSTRAINT "agent_editors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_editors_by_user" ON "agent_editors" USING btree ("user_id");