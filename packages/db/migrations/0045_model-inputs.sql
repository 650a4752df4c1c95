CREATE TABLE "file_texts" (
	"workspace_id" bigint NOT NULL,
	"sha256" text NOT NULL,
	"extractor" text NOT NULL,
	"text" text,
	"failure" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "file_texts_workspace_id_sha256_extractor_pk" PRIMARY KEY("workspace_id","sha256","extractor")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "fallback_models" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "renders_instructions" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "response_format" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "response_format" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "structured_output" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "prompt_values" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "prompt_notes" jsonb;