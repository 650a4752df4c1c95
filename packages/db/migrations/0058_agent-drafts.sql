ALTER TABLE "agents" ADD COLUMN "edited_by" bigint;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agents_drafts" ON "agents" USING btree ("created_at") WHERE "agents"."status" = 'draft';