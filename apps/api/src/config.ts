import * as z from "zod";

const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(min).max(max);

/** A limit on calls in a period; 0 turns it off. */
const limit = (byDefault: number, description: string) =>
  integer(0).default(byDefault).describe(description);

/** A number of things, at least one. */
const atMost = (byDefault: number, description: string) =>
  integer(1).default(byDefault).describe(description);

/** A bound on one share of a whole, which leaves something for others. */
const shareOf = (whole: string, description: string) =>
  integer(1).optional().describe(`${description}; half of ${whole} by default`);

/** A duration between 0.1 s and an hour. */
const milliseconds = (byDefault: number, description: string) =>
  integer(100, 3_600_000).default(byDefault).describe(description);

/** A list, separated by commas. */
const list = <T extends string>(
  member: z.ZodType<T, string>,
  description: string,
  byDefault = "",
) =>
  z
    .string()
    .default(byDefault)
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .pipe(z.array(member))
    .describe(description);

const Origin = z.string().refine((text) => text === "*" || isOrigin(text), {
  error: ({ input }) => `${String(input)} must be an origin, such as https://app.example.com`,
});

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

const AddressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const TrustedRange = z
  .string()
  // A range of all addresses would let every client forge its own.
  .refine((text) => AddressRange.safeParse(text).success && !text.endsWith("/0"), {
    error: ({ input }) => `${String(input)} must be an address or a range, such as 10.0.0.0/8`,
  });

/** Asymmetric ones: a secret that the server shared with the issuer could forge its tokens. */
const SIGNATURES = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** Settings of the HTTP server, by the name of their environment variable. */
export const ApiSettings = z.object({
  PARLEY_HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PARLEY_PORT: integer(0, 65_535).default(3000).describe("Port to listen on; 0 takes any free one"),
  PARLEY_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "it must be a URL, such as https://parley.example.com" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional()
    .describe("URL that clients use; defaults to the URL that the server listens on"),
  PARLEY_CORS_ORIGINS: list(
    Origin,
    "Origins whose pages may call the server, separated by commas; * for all, none by default",
  ),
  PARLEY_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("OpenID Connect issuer whose tokens are accepted as those of users; none by default"),
  PARLEY_OIDC_AUDIENCE: z
    .string()
    .optional()
    .describe("Audience that the issuer's tokens must have; needed with an issuer"),
  PARLEY_OIDC_WORKSPACE: z
    .string()
    .optional()
    .describe("Id of the workspace of all the issuer's users; either this or a claim is needed"),
  PARLEY_OIDC_WORKSPACE_CLAIM: z
    .string()
    .optional()
    .describe("Claim of the issuer's tokens that contains the id of the user's workspace"),
  PARLEY_OIDC_ALGORITHMS: list(
    z.enum(SIGNATURES, { error: `must be one of ${SIGNATURES.join(", ")}` }),
    "Signature algorithms of the issuer's tokens, separated by commas",
    "RS256,ES256",
  ),
  PARLEY_OIDC_LOOPBACK: z
    .enum(["true", "false"])
    .default("false")
    .describe("Whether the issuer may be http on a loopback address, for development and tests"),
  PARLEY_TRUSTED_PROXIES: list(
    TrustedRange,
    "Addresses and ranges of proxies whose X-Forwarded-For counts, separated by commas",
  ),
  PARLEY_BLOCKING_TIMEOUT_MS: integer(0, 600_000)
    .default(180_000)
    .describe("How long a blocking create waits for its agents, in milliseconds"),
  PARLEY_REQUEST_TIMEOUT_MS: milliseconds(
    120_000,
    "How long a client may take to send a request, in milliseconds",
  ),
  PARLEY_MAX_CONNECTIONS: atMost(20_000, "Most open connections of the process; more are closed"),
  PARLEY_MAX_CONNECTIONS_PER_ADDRESS: shareOf(
    "PARLEY_MAX_CONNECTIONS",
    "Most open connections of one client IP, except trusted proxies; more are closed",
  ),
  PARLEY_MAX_LOOP_DELAY_MS: limit(
    1000,
    "Mean turn of the event loop above which requests are refused, in milliseconds; 0 for never",
  ),
  PARLEY_DATABASE_WAIT_MS: milliseconds(
    5000,
    "How long a query may wait for the database until requests are refused, in milliseconds",
  ),
  PARLEY_RATE_CREATE_PER_MINUTE: limit(
    100,
    "Conversations, messages and files that a key may create per minute",
  ),
  PARLEY_RATE_CREATE_PER_HOUR: limit(
    3000,
    "Conversations, messages and files that a key may create per hour",
  ),
  PARLEY_RATE_READ_PER_MINUTE: limit(3000, "Reads per key and minute"),
  PARLEY_RATE_INVOKE_PER_MINUTE: limit(600, "Invocations per key and minute"),
  PARLEY_RATE_WORKSPACE_FACTOR: limit(
    10,
    "Limit of a workspace, as a multiple of a key's limits; 0 for none",
  ),
  PARLEY_RATE_USER_DIVISOR: limit(
    10,
    "Limit of a user with a token, as a fraction of a key's: its divisor; 0 for none",
  ),
  PARLEY_RATE_EVENTS_PER_MINUTE: limit(
    6000,
    "Events that the triggers of a workspace may receive per minute",
  ),
  PARLEY_RATE_FAILED_AUTH_PER_MINUTE: limit(
    60,
    "Refused credentials per client IP and minute, and as many visits of pages without a key",
  ),
  PARLEY_WORKSPACE_WAITING_RUNS: limit(
    10_000,
    "Queued agent turns of a workspace, and as many queued invocations; more are refused; 0 for no limit",
  ),
  PARLEY_CONVERSATION_MESSAGES: atMost(
    10_000,
    "Messages of a conversation, with fragments and all versions of answers",
  ),
  PARLEY_CONVERSATION_BYTES: atMost(
    64 * 1024 * 1024,
    "Size of a conversation's texts, in bytes; answers in progress may exceed it",
  ),
  PARLEY_MAX_STREAMS: atMost(12_000, "Open streams of the process"),
  PARLEY_MAX_STREAMS_PER_WORKSPACE: shareOf(
    "PARLEY_MAX_STREAMS",
    "Open streams of all keys of a workspace in the process",
  ),
  PARLEY_MAX_STREAMS_PER_KEY: atMost(100, "Open streams of a key, with its users' tokens"),
  PARLEY_MAX_STREAMS_PER_USER: atMost(10, "Open streams of a user with tokens, under a key"),
  PARLEY_STREAM_BUFFER_BYTES: integer(1024)
    .default(256 * 1024)
    .describe("Bytes that may wait for a stream's reader before it is fed from the log"),
  PARLEY_STREAM_STALL_MS: milliseconds(
    30_000,
    "How long such a reader may read nothing before it is disconnected, in milliseconds",
  ),
  PARLEY_MAX_FILE_BYTES: atMost(50 * 1024 * 1024, "Largest uploaded file, in bytes"),
  PARLEY_WORKSPACE_BYTES: atMost(
    20 * 1024 ** 3,
    "Most that a workspace may store, in bytes: files, conversations, invocations and everything else",
  ),
  PARLEY_WORKSPACE_DATA_SOURCES: integer(1, 1000)
    .default(1000)
    .describe("Data sources of a workspace, 1 to 1000"),
  PARLEY_DATA_SOURCE_DOCUMENTS: atMost(100_000, "Documents and folders of a data source"),
  PARLEY_DATA_SOURCE_BYTES: atMost(
    1024 ** 3,
    "Size of the texts of all documents of a data source, in bytes",
  ),
  PARLEY_SANDBOX_MAX_SOURCE_BYTES: integer(1, 1_048_576)
    .default(1_048_576)
    .describe("Largest source of a function with code, in bytes of all its files"),
  PARLEY_SANDBOX_MAX_BUNDLE_BYTES: integer(1024, 16_777_216)
    .default(4_194_304)
    .describe("Largest module that the source is bundled into, with its map, in bytes"),
  PARLEY_TRANSFER_IDLE_MS: milliseconds(
    30_000,
    "How long an upload, a download or another response may stall, in milliseconds",
  ),
  PARLEY_UNREAD_BYTES: integer(1024 * 1024)
    .default(256 * 1024 * 1024)
    .describe(
      "Bytes of responses that may wait for their readers: in the process; per workspace half of it, per key a " +
        "quarter; beyond that, the readers that have stalled the longest are disconnected",
    ),
});
export type ApiSettings = z.output<typeof ApiSettings>;
