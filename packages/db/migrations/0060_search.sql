-- Unlogged: what they hold is made again from the messages; their writes wait for no disk.
CREATE UNLOGGED TABLE "message_index" (
	"id" integer PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"indexed_until" bigint NOT NULL,
	"backfill_after" text
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "message_words" (
	"message_id" text PRIMARY KEY NOT NULL,
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"words" "tsvector"
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saved_views_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"owner_id" bigint,
	"name" text NOT NULL,
	"page" text NOT NULL,
	"query" text NOT NULL,
	"is_shared" boolean NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "saved_views_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_words_by_word" ON "message_words" USING gin ("words");--> statement-breakpoint
CREATE INDEX "message_words_by_creation" ON "message_words" USING btree ("workspace_id","created_at","message_id");--> statement-breakpoint
CREATE INDEX "message_words_by_conversation" ON "message_words" USING btree ("conversation_id");--> statement-breakpoint
CREATE INDEX "message_words_pending" ON "message_words" USING btree ("created_at") WHERE "message_words"."words" is null;--> statement-breakpoint
CREATE INDEX "saved_views_by_workspace" ON "saved_views" USING btree ("workspace_id","page","id");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_by_name" ON "saved_views" USING btree ("workspace_id",coalesce("owner_id", 0),"page","name");--> statement-breakpoint
CREATE INDEX "messages_by_creation" ON "messages" USING brin ("created_at") WITH (autosummarize=true);