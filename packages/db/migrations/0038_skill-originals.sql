CREATE TABLE "skill_originals" (
	"skill_id" bigint PRIMARY KEY NOT NULL,
	"skill_file" text NOT NULL,
	"executable_file_ids" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "skill_originals" ADD CONSTRAINT "skill_originals_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE cascade ON UPDATE no action;