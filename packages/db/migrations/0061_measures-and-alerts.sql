CREATE TABLE "alert_incidents" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_incidents_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"alert_id" text NOT NULL,
	"agent_id" text,
	"name" text NOT NULL,
	"measure" text NOT NULL,
	"threshold" double precision NOT NULL,
	"value" double precision NOT NULL,
	"worst" double precision NOT NULL,
	"began_at" bigint NOT NULL,
	"opened_at" bigint,
	"closed_at" bigint,
	"closed_for" text,
	CONSTRAINT "alert_incidents_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alerts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text NOT NULL,
	"workspace_id" bigint NOT NULL,
	"built_in" text,
	"name" text NOT NULL,
	"measure" text NOT NULL,
	"agent_id" text,
	"comparison" text NOT NULL,
	"threshold" double precision NOT NULL,
	"until" double precision NOT NULL,
	"window_minutes" integer NOT NULL,
	"for_minutes" integer NOT NULL,
	"min_answers" integer NOT NULL,
	"is_enabled" boolean NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "alerts_sid_unique" UNIQUE("sid")
);
--> statement-breakpoint
CREATE TABLE "measure_deltas" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "measure_deltas_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace_id" bigint NOT NULL,
	"minute" bigint NOT NULL,
	"api_key_id" bigint,
	"user_id" bigint,
	"agent_id" text NOT NULL,
	"model" text NOT NULL,
	"sums" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "measure_positions" (
	"name" text PRIMARY KEY NOT NULL,
	"origin" text NOT NULL,
	"snapshot" text NOT NULL,
	"scan_from" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "measure_sums" (
	"workspace_id" bigint NOT NULL,
	"period" text NOT NULL,
	"starts_at" bigint NOT NULL,
	"dimension" text NOT NULL,
	"value" text NOT NULL,
	"sums" jsonb NOT NULL,
	CONSTRAINT "measure_sums_pk" PRIMARY KEY("workspace_id","period","dimension","starts_at","value")
);
--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_incidents_open" ON "alert_incidents" USING btree ("workspace_id","alert_id") WHERE "alert_incidents"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "alert_incidents_by_workspace" ON "alert_incidents" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "alert_incidents_closed" ON "alert_incidents" USING btree ("closed_at") WHERE "alert_incidents"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "alerts_by_workspace" ON "alerts" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_by_built_in" ON "alerts" USING btree ("workspace_id","built_in") WHERE "alerts"."built_in" is not null;--> statement-breakpoint
CREATE INDEX "measure_sums_by_age" ON "measure_sums" USING btree ("period","dimension","starts_at");