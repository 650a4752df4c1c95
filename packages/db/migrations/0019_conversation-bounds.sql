ALTER TABLE "conversations" ADD COLUMN "message_count" integer;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "message_bytes" bigint;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "answer_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Whatever is there already counts as written: of the answers, only those that come are told apart.
UPDATE "conversations" SET "message_count" = counted.messages, "message_bytes" = counted.bytes
FROM (
  SELECT conversation_id, count(*) AS messages,
    sum(octet_length(content) + coalesce(octet_length(chain_of_thought), 0)) AS bytes
  FROM "messages" GROUP BY conversation_id
) AS counted
WHERE counted.conversation_id = "conversations"."id";
