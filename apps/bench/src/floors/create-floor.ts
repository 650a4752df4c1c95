// What a create costs at least: Fastify, zod and one transaction that commits a conversation's
// rows (1 conversation, 2 messages, 1 run, 2 logs, 2 events), and nothing else.
// Usage: node create-floor.ts [port], with DATABASE_URL; its tables are made again at each start.
import { randomBytes } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import * as z from "zod";
import { readSettings } from "../config.ts";

const TABLES = `drop schema if exists floor cascade;
  create schema floor;
  create table floor.conversations(id bigint generated always as identity primary key,
    sid text unique, workspace_id int, title text, created_at timestamptz default now());
  create table floor.messages(id bigint generated always as identity primary key,
    sid text unique, conversation_id bigint, rank int, body jsonb, status text);
  create table floor.runs(id bigint generated always as identity primary key, message_sid text,
    run_after timestamptz default now(), lease_until timestamptz, attempt int default 0);
  create table floor.logs(id text primary key, last_seq int, fence int default 0,
    closed_at timestamptz);
  create table floor.events(log_id text, seq int, type text, payload text,
    primary key(log_id, seq))`;

const Context = z.object({
  username: z.string(),
  timezone: z.string(),
  fullName: z.string().nullish(),
  email: z.string().nullish(),
  profilePictureUrl: z.url().nullish(),
  selectedSpaceIds: z.array(z.string()).nullish(),
});

const ModelSelection = z.object({
  providerId: z.string(),
  modelId: z.string(),
  reasoningEffort: z.enum(["none", "light", "medium", "high"]).nullish(),
});

const Body = z.object({
  message: z.object({
    content: z.string().min(1),
    mentions: z.array(z.object({ configurationId: z.string() })),
    context: Context.nullish(),
    modelSelection: ModelSelection.nullish(),
  }),
  title: z.string().nullish(),
  blocking: z.boolean().default(false),
  skipToolsValidation: z.boolean().default(false),
  spaceId: z.string().nullish(),
});
type Body = z.infer<typeof Body>;

const statements = {
  conversation: `insert into floor.conversations(sid, workspace_id, title)
    values($1, 1, $2) returning id, created_at`,
  messages: `insert into floor.messages(sid, conversation_id, rank, body, status)
    values($1, $2, 0, $3, null), ($4, $2, 1, null, 'created')`,
  run: "insert into floor.runs(message_sid) values($1)",
  logs: "insert into floor.logs(id, last_seq) values($1, 2), ($2, 0)",
  events: `insert into floor.events
    values($1, 1, 'user_message_new', $2), ($1, 2, 'agent_message_new', $2)`,
};

const newId = () => randomBytes(8).toString("base64url").slice(0, 10);

async function create(client: pg.PoolClient, body: Body) {
  const [conversationId, userMessageId, agentMessageId] = [newId(), newId(), newId()];
  const { message } = body;
  const execute = (name: keyof typeof statements, values: unknown[]) =>
    client.query<{ id: string; created_at: Date }>({ name, text: statements[name], values });
  await client.query("begin");
  const title = body.title ?? message.content.slice(0, 80);
  const { rows } = await execute("conversation", [conversationId, title]);
  const [row] = rows;
  if (row === undefined) throw new Error("The conversation was not written");
  await execute("messages", [userMessageId, row.id, message, agentMessageId]);
  await execute("run", [agentMessageId]);
  await execute("logs", [conversationId, agentMessageId]);
  await execute("events", [conversationId, JSON.stringify(body)]);
  await client.query("commit");
  const content = [
    [{ sId: userMessageId, ...message }],
    [{ sId: agentMessageId, status: "created" }],
  ];
  const { id, created_at: createdAt } = row;
  return {
    conversation: { id: Number(id), sId: conversationId, created: createdAt.getTime(), content },
  };
}

const pool = new pg.Pool({ connectionString: readSettings().DATABASE_URL, max: 16 });
await pool.query(TABLES);
const app = Fastify();
app.route({
  method: "POST",
  url: "/",
  handler: async (request) => {
    const body = Body.parse(request.body);
    const client = await pool.connect();
    try {
      return await create(client, body);
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
});
await app.listen({ port: Number(process.argv[2] ?? 8095), host: "127.0.0.1" });
