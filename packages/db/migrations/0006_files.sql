CREATE TABLE "file_chunks" (
	"file_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "file_chunks_file_id_position_pk" PRIMARY KEY("file_id","position")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" bigint PRIMARY KEY NOT NULL,
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint,
	"content_type" text NOT NULL,
	"file_name" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"use_case" text NOT NULL,
	"status" text NOT NULL,
	"sha256" text,
	"text" text,
	"created_at" bigint NOT NULL,
	"upload_id" text,
	"upload_until" timestamp with time zone,
	CONSTRAINT "files_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "server_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_chunks" ADD CONSTRAINT "file_chunks_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "files_uploaded" ON "files" USING btree ("workspace_id","size_bytes") WHERE "files"."conversation_id" is null;--> statement-breakpoint
CREATE INDEX "files_by_conversation" ON "files" USING btree ("conversation_id") WHERE "files"."conversation_id" is not null;--> statement-breakpoint
CREATE INDEX "files_unfinished" ON "files" USING btree ("created_at") WHERE "files"."status" = 'created';--> statement-breakpoint
-- Chunks are read by their offset, and most files are compressed already.
ALTER TABLE "file_chunks" ALTER COLUMN "data" SET STORAGE EXTERNAL;
