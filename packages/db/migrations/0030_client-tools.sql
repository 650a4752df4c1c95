CREATE TABLE "client_requests" (
	"server_id" bigint NOT NULL,
	"id" text NOT NULL,
	"method" text NOT NULL,
	"seq" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"answer" text,
	"settled_at" bigint,
	CONSTRAINT "client_requests_server_id_id_pk" PRIMARY KEY("server_id","id")
);
--> statement-breakpoint
CREATE TABLE "client_servers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "client_servers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"api_key_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"name" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"offer" jsonb,
	"pending" jsonb,
	"listings" integer DEFAULT 0 NOT NULL,
	"approved_tools" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "client_servers_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "client_server_ids" jsonb;--> statement-breakpoint
ALTER TABLE "sandbox_functions" ADD COLUMN "client_user_id" bigint;--> statement-breakpoint
ALTER TABLE "client_requests" ADD CONSTRAINT "client_requests_server_id_client_servers_id_fk" FOREIGN KEY ("server_id") REFERENCES "public"."client_servers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_servers" ADD CONSTRAINT "client_servers_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_requests_open" ON "client_requests" USING btree ("id") WHERE "client_requests"."settled_at" is null;--> statement-breakpoint
CREATE INDEX "client_servers_by_user" ON "client_servers" USING btree ("workspace_id","user_id");--> statement-breakpoint
CREATE INDEX "client_servers_by_expiry" ON "client_servers" USING btree ("expires_at");