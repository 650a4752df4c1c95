CREATE TABLE "skill_editors" (
	"skill_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "skill_editors_skill_id_user_id_pk" PRIMARY KEY("skill_id","user_id")
);
--> statement-breakpoint
DROP INDEX "skills_by_name";--> statement-breakpoint
ALTER TABLE "tools" ALTER COLUMN "edited_by" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "skills" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "skill_editors" ADD CONSTRAINT "skill_editors_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_editors" ADD CONSTRAINT "skill_editors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "skills_by_name_order" ON "skills" USING btree ("workspace_id","status","name" collate "C","sid" collate "C");