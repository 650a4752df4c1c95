CREATE TABLE "recorded_requests" (
	"message_id" text NOT NULL,
	"step" integer NOT NULL,
	"workspace_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"provider_id" text NOT NULL,
	"model_id" text NOT NULL,
	"sent_at" bigint NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"template" text,
	"parts" text NOT NULL,
	CONSTRAINT "recorded_requests_message_id_step_pk" PRIMARY KEY("message_id","step")
);
--> statement-breakpoint
CREATE TABLE "request_pieces" (
	"conversation_id" bigint NOT NULL,
	"sha256" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"text" text NOT NULL,
	"used_at" bigint NOT NULL,
	CONSTRAINT "request_pieces_conversation_id_sha256_pk" PRIMARY KEY("conversation_id","sha256")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "records_requests" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "recorded_requests_by_conversation" ON "recorded_requests" USING btree ("conversation_id","sent_at");--> statement-breakpoint
CREATE INDEX "recorded_requests_by_workspace" ON "recorded_requests" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "recorded_requests_by_time" ON "recorded_requests" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "request_pieces_by_workspace" ON "request_pieces" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "request_pieces_by_time" ON "request_pieces" USING btree ("used_at");