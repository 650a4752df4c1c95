CREATE TABLE "tool_authorization_requests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tool_authorization_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"tool_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"state_hash" text NOT NULL,
	"started" jsonb NOT NULL,
	"redirect_url" text NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "tool_authorization_requests_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "tool_authorizations" (
	"tool_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"token" jsonb,
	"token_until" bigint NOT NULL,
	"refresh_token" jsonb,
	"scope" text,
	"generation" integer DEFAULT 0 NOT NULL,
	"refreshing_until" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "tool_authorizations_tool_id_user_id_pk" PRIMARY KEY("tool_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "tool_connections" ADD COLUMN "authorization_server" jsonb;--> statement-breakpoint
ALTER TABLE "tool_authorization_requests" ADD CONSTRAINT "tool_authorization_requests_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_authorization_requests" ADD CONSTRAINT "tool_authorization_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_authorizations" ADD CONSTRAINT "tool_authorizations_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_authorizations" ADD CONSTRAINT "tool_authorizations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "tool_authorization_requests_by_state" ON "tool_authorization_requests" USING btree ("state_hash");--> statement-breakpoint
CREATE INDEX "tool_authorization_requests_by_user" ON "tool_authorization_requests" USING btree ("tool_id","user_id");--> statement-breakpoint
CREATE INDEX "tool_authorization_requests_by_expiry" ON "tool_authorization_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tool_authorizations_by_user" ON "tool_authorizations" USING btree ("user_id");