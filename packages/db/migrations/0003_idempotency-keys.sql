CREATE TABLE "idempotency_keys" (
	"workspace_id" bigint NOT NULL,
	"scope" text NOT NULL,
	"fingerprint" text NOT NULL,
	"made" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "idempotency_keys_workspace_id_scope_pk" PRIMARY KEY("workspace_id","scope")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");