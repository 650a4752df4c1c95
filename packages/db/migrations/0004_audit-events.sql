CREATE TABLE "audit_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" bigint NOT NULL,
	"workspace_id" text,
	"actor_id" text,
	"actor_name" text,
	"action" text NOT NULL,
	"subject_id" text,
	"route" text,
	"address" text,
	"request_id" text,
	"outcome" text NOT NULL,
	"count" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_events_by_workspace" ON "audit_events" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_by_time" ON "audit_events" USING btree ("at");