CREATE TABLE "user_tokens" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"api_key_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"space_ids" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "user_tokens_sid_unique" UNIQUE("sid"),
	CONSTRAINT "user_tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "owner_id" bigint;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "api_key_id" bigint;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "owner_id" bigint;--> statement-breakpoint
ALTER TABLE "invocations" ADD COLUMN "owner_id" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "issuer" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "user_tokens" ADD CONSTRAINT "user_tokens_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_tokens" ADD CONSTRAINT "user_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_tokens" ADD CONSTRAINT "user_tokens_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_tokens_by_user" ON "user_tokens" USING btree ("user_id","expires_at");--> statement-breakpoint
CREATE INDEX "user_tokens_by_key" ON "user_tokens" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "user_tokens_by_expiry" ON "user_tokens" USING btree ("expires_at");--> statement-breakpoint
-- A conversation belongs to the author of its first message, where that is a member: one look-up for each
-- conversation of a workspace with members. Others stay with the service users of their keys.
UPDATE "conversations" SET "owner_id" = "member"."id"
FROM "conversations" "old" CROSS JOIN LATERAL (
	SELECT "user_id" FROM "messages"
	WHERE "conversation_id" = "old"."id" AND "type" = 'user_message'
	ORDER BY "rank", "version" LIMIT 1
) "first" JOIN "users" "member" ON "member"."id" = "first"."user_id" AND "member"."email" <> ''
WHERE "conversations"."id" = "old"."id"
	AND "old"."workspace_id" IN (SELECT "workspace_id" FROM "users" WHERE "email" <> '');--> statement-breakpoint
CREATE INDEX "conversations_by_key" ON "conversations" USING btree ("api_key_id","position");--> statement-breakpoint
CREATE INDEX "conversations_by_owner" ON "conversations" USING btree ("owner_id","position") WHERE "conversations"."owner_id" is not null;--> statement-breakpoint
CREATE INDEX "conversations_in_spaces" ON "conversations" USING btree ("workspace_id","position") WHERE "conversations"."space_id" is not null;--> statement-breakpoint
CREATE INDEX "invocations_by_owner" ON "invocations" USING btree ("function_id","owner_id","id") WHERE "invocations"."owner_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_by_issuer" ON "api_keys" USING btree ("workspace_id","issuer") WHERE "api_keys"."issuer" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_by_external_id" ON "users" USING btree ("workspace_id","external_id") WHERE "users"."external_id" is not null and "users"."removed_at" is null;