-- Unlogged: what it holds is true for seconds, and its writes wait for no disk.
CREATE UNLOGGED TABLE "workers" (
	"id" text PRIMARY KEY NOT NULL,
	"alive_until" timestamp with time zone NOT NULL
);
