import * as z from "zod";

/** A limit on calls in a time; 0 turns it off. */
const limit = (byDefault: number, description: string) =>
  z.coerce.number().int().min(0).default(byDefault).describe(description);

/** Settings of the HTTP server, by the name of their environment variable. */
export const ApiSettings = z.object({
  PARLEY_HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PARLEY_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .describe("Port to listen on; 0 takes any free one"),
  PARLEY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional()
    .describe("Address that clients see; the address that is listened on by default"),
  PARLEY_BLOCKING_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(180_000)
    .describe("How long a blocking create waits for its agents, in milliseconds"),
  PARLEY_RATE_CREATE_PER_MINUTE: limit(100, "Conversations and messages of a key in a minute"),
  PARLEY_RATE_CREATE_PER_HOUR: limit(3000, "Conversations and messages of a key in an hour"),
  PARLEY_RATE_READ_PER_MINUTE: limit(3000, "Reads of a key in a minute"),
  PARLEY_RATE_INVOKE_PER_MINUTE: limit(600, "Invocations of a key in a minute"),
  PARLEY_RATE_FAILED_AUTH_PER_MINUTE: limit(60, "Refused credentials of an address in a minute"),
  PARLEY_MAX_STREAMS: z.coerce
    .number()
    .int()
    .min(1)
    .default(12_000)
    .describe("Open streams of the process"),
  PARLEY_MAX_STREAMS_PER_KEY: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe("Open streams of a key"),
  PARLEY_STREAM_BUFFER_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .default(256 * 1024)
    .describe("Bytes that wait for the reader of a stream before it is fed from the log"),
  PARLEY_STREAM_STALL_MS: z.coerce
    .number()
    .int()
    .min(100)
    .default(30_000)
    .describe("How long such a reader may take nothing before it is cut off, in milliseconds"),
});
export type ApiSettings = z.output<typeof ApiSettings>;
