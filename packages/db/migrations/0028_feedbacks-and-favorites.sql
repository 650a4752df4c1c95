CREATE TABLE "agent_favorites" (
	"user_id" bigint NOT NULL,
	"agent_sid" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "agent_favorites_user_id_agent_sid_pk" PRIMARY KEY("user_id","agent_sid")
);
--> statement-breakpoint
CREATE TABLE "feedbacks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "feedbacks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"message_id" text NOT NULL,
	"agent_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"thumb_direction" text NOT NULL,
	"content" text,
	"is_conversation_shared" boolean NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_favorites" ADD CONSTRAINT "agent_favorites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedbacks" ADD CONSTRAINT "feedbacks_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedbacks" ADD CONSTRAINT "feedbacks_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedbacks" ADD CONSTRAINT "feedbacks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "feedbacks_by_message" ON "feedbacks" USING btree ("message_id","user_id");--> statement-breakpoint
CREATE INDEX "feedbacks_by_conversation" ON "feedbacks" USING btree ("conversation_id","id");--> statement-breakpoint
CREATE INDEX "feedbacks_by_workspace" ON "feedbacks" USING btree ("workspace_id","id");