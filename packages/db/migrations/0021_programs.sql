ALTER TABLE "sandbox_function_versions" RENAME COLUMN "behaviour" TO "program";--> statement-breakpoint
ALTER TABLE "sandbox_function_versions" RENAME COLUMN "stake" TO "requires_approval";--> statement-breakpoint
-- One rewrite of the table.
ALTER TABLE "sandbox_function_versions"
	ALTER COLUMN "program" SET DATA TYPE jsonb USING jsonb_build_object('type', 'simulated', 'behaviour', "program"),
	ALTER COLUMN "requires_approval" DROP DEFAULT,
	ALTER COLUMN "requires_approval" SET DATA TYPE boolean USING "requires_approval" = 'high',
	ALTER COLUMN "requires_approval" SET DEFAULT false;
