CREATE TABLE "skill_definitions" (
	"skill_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"edited_by" bigint,
	"space_ids" jsonb NOT NULL,
	"definition" jsonb NOT NULL,
	CONSTRAINT "skill_definitions_skill_id_version_pk" PRIMARY KEY("skill_id","version")
);
--> statement-breakpoint
ALTER TABLE "skill_definitions" ADD CONSTRAINT "skill_definitions_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_definitions" ADD CONSTRAINT "skill_definitions_edited_by_users_id_fk" FOREIGN KEY ("edited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- What each skill is now is the first version that is stored. Older processes store none when they change a
-- skill: the next change stores what they have left, too.
INSERT INTO "skill_definitions" ("skill_id", "version", "created_at", "edited_by", "space_ids", "definition")
SELECT s.id, s.version, s.updated_at, s.edited_by, s.requested_space_ids || s.manually_requested_space_ids,
	jsonb_build_object(
		'name', s.name,
		'status', s.status,
		'availability', s.availability,
		'agentFacingDescription', s.agent_facing_description,
		'userFacingDescription', s.user_facing_description,
		'icon', s.icon,
		'source', s.source,
		'sourceMetadata', s.source_metadata,
		'reinforcement', s.reinforcement,
		'manuallyRequestedSpaceIds', s.manually_requested_space_ids,
		'instructions', s.instructions,
		'fileAttachments', coalesce((
			SELECT jsonb_agg(jsonb_build_object('fileId', a.file_id, 'fileName', a.file_name) ORDER BY a.position)
			FROM skill_attachments a WHERE a.skill_id = s.id), '[]'),
		'tools', coalesce((
			SELECT jsonb_agg(jsonb_build_object('sId', t.sid, 'name', t.name) ORDER BY st.position)
			FROM skill_tools st JOIN tools t ON t.id = st.tool_id WHERE st.skill_id = s.id), '[]')
	)
FROM skills s;
