import { partOfRound } from "../load/part-of-round.ts";
import { formatGet, formatPost, type Load } from "../load/plan.ts";
import type { SizedServer } from "./sized-server.ts";

/** An operation whose cost should not depend on what the database holds. */
export interface Operation {
  readonly name: string;
  /** The requests of a round, of the conversations that it gets. */
  readonly requests: (server: ServerApi, conversationIds: readonly string[]) => string[];
  readonly mustBe?: number;
  readonly mustContain: string;
}

interface ServerApi {
  readonly get: (path: string) => string;
  readonly post: (path: string, body: unknown) => string;
}

/** Conversations of a round: more than are read before the first is read again. */
const AT_LEAST = 500;

const message = {
  content: "What does a conversation cost?",
  mentions: [{ configurationId: "helper" }],
};
const root = "/v1/w/{wId}/assistant/conversations";

export const operations: readonly Operation[] = [
  {
    name: "create, non-blocking",
    requests: ({ post }) => [post(`/api${root}`, { message, blocking: false })],
    mustContain: '"status":"created"',
  },
  {
    name: "create, blocking",
    requests: ({ post }) => [post(`/api${root}`, { message, blocking: true })],
    mustContain: '"status":"succeeded"',
  },
  {
    name: "post",
    requests: ({ post }, ids) => ids.map((id) => post(`/api${root}/${id}/messages`, message)),
    mustContain: '"status":"created"',
  },
  {
    name: "read a conversation",
    requests: ({ get }, ids) => ids.map((id) => get(`/api${root}/${id}`)),
    mustContain: '"status":"succeeded"',
  },
  {
    name: "list conversations",
    requests: ({ get }) => [get(`/api${root}`)],
    mustContain: '"hasMore":true',
  },
  {
    name: "list skills",
    requests: ({ get }) => [get("/api/v1/w/{wId}/skills")],
    mustContain: '{"skills":[{',
  },
  {
    name: "invoke",
    requests: ({ post }) => [
      post("/api/w/{wId}/sandbox-functions/add/invocations", { input: { a: 1, b: 2 } }),
    ],
    mustBe: 201,
    mustContain: '"outcome":{"status":"succeeded"',
  },
  {
    name: "follow an ended log",
    // The answer of a seeded conversation has the id of the conversation and its position.
    requests: ({ get }, ids) =>
      ids.map((id) => get(`/api/sse${root}/${id}/messages/${id}1/events`)),
    mustContain: '"agent_message_success"',
  },
];

/** The load of a round of an operation on a server, on one connection. */
export function loadOfRound(
  { demo, conversationIds }: SizedServer,
  { requests, mustContain, mustBe = 200 }: Operation,
  { round, rounds }: { readonly round: number; readonly rounds: number },
): Load {
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  const urlOf = (path: string) => new URL(path.replace("{wId}", demo.workspaceId), demo.url);
  const api = {
    get: (path: string) => formatGet(urlOf(path), headers),
    post: (path: string, body: unknown) => formatPost(urlOf(path), headers, body),
  };
  const { hostname, port } = new URL(demo.url);
  const ids = partOfRound(conversationIds, { round, rounds, atLeast: AT_LEAST });
  return {
    host: hostname,
    port: Number(port),
    requests: requests(api, ids),
    mustBe,
    mustContain,
    connections: 1,
  };
}
