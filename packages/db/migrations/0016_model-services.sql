CREATE TABLE "provider_credentials" (
	"workspace_id" bigint NOT NULL,
	"provider_id" text NOT NULL,
	"key_id" text NOT NULL,
	"sealed" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "provider_credentials_workspace_id_provider_id_pk" PRIMARY KEY("workspace_id","provider_id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "steps" jsonb;--> statement-breakpoint
ALTER TABLE "provider_credentials" ADD CONSTRAINT "provider_credentials_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;