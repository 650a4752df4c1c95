CREATE TABLE "rotated_secrets" (
	"hash" text PRIMARY KEY NOT NULL,
	"api_key_id" bigint NOT NULL,
	"looks_mistyped" boolean NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "spaces" ADD COLUMN "deleted_at" bigint;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "suspended_at" bigint;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "model_services" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "rotated_secrets" ADD CONSTRAINT "rotated_secrets_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rotated_secrets_by_key" ON "rotated_secrets" USING btree ("api_key_id");--> statement-breakpoint
CREATE INDEX "conversations_by_space" ON "conversations" USING btree ("space_id") WHERE "conversations"."space_id" is not null;