CREATE SEQUENCE "public"."conversation_positions" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
DROP INDEX "conversations_by_workspace";--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "position" bigint;--> statement-breakpoint
UPDATE "conversations" SET "position" = "ordered"."position" FROM (
  SELECT "id", row_number() OVER (ORDER BY "created_at", "id") AS "position" FROM "conversations"
) "ordered" WHERE "ordered"."id" = "conversations"."id";--> statement-breakpoint
SELECT setval('conversation_positions', (SELECT coalesce(max("position"), 0) + 1 FROM "conversations"), false);--> statement-breakpoint
ALTER TABLE "conversations" ALTER COLUMN "position" SET DEFAULT nextval('conversation_positions');--> statement-breakpoint
ALTER TABLE "conversations" ALTER COLUMN "position" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "conversations_by_position" ON "conversations" USING btree ("workspace_id","position");--> statement-breakpoint
-- Processes that started before the column was there insert null for it, until they are replaced.
CREATE FUNCTION "set_conversation_position"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.position := nextval('conversation_positions');
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "set_conversation_position" BEFORE INSERT ON "conversations"
FOR EACH ROW WHEN (NEW."position" IS NULL) EXECUTE FUNCTION "set_conversation_position"();
