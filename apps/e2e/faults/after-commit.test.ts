import type { Database } from "@parley/db";
import { describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  type Server,
  shareServer,
  startServer,
  within,
} from "../server.ts";
import { type AnswerLosingProxy, startAnswerLosingProxy } from "./answer-losing-proxy.ts";
import { openDatabase } from "./stored-state.ts";

// Whatever breaks once something is committed, its request is answered with what was committed: a
// client that is refused would do it again.

const slowpoke = [{ configurationId: "slowpoke" }];

/** The rows that a query of the messages' contents finds. */
async function rowsOf({ db }: Database, query: string): Promise<{ content: string }[]> {
  const found = await db.execute<{ content: string }>(query);
  // The driver gives the rows, under a type that Drizzle does not know here.
  return (found as { rows: { content: string }[] }).rows;
}

/** What the answer to a request says, as far as these tests look. */
interface Answered {
  readonly conversation?: { readonly sId: string; readonly content: { status?: string }[][] };
  readonly agentMessages?: readonly { readonly sId: string; readonly status: string }[];
  readonly message?: { readonly sId: string };
}

describe("a database whose connections are all in use", () => {
  const server = shareServer({
    PARLEY_DATABASE_POOL: "2",
    PARLEY_DATABASE_WAIT_MS: "300",
    PARLEY_BLOCKING_TIMEOUT_MS: "1500",
  });

  /** Sends a request that blocks, and lets it find no connection once it has waited. */
  async function sendAndStarve(request: Parameters<typeof send>[1], isCommitted: string) {
    const database = await openDatabase(server().place);
    const gate = Promise.withResolvers<void>();
    try {
      const sent = send(server(), request);
      await eventually(async () => {
        const rows = await rowsOf(database, isCommitted);
        return rows.length > 0 ? { value: true } : {};
      }, 5000);
      const locked = Promise.withResolvers<void>();
      const holder = database.transaction(async (tx) => {
        await tx.execute("lock table conversations in access exclusive mode");
        locked.resolve();
        await gate.promise;
      });
      await locked.promise;
      const { conversations } = pathsOf(server());
      const stuck = Array.from({ length: 4 }, () => send(server(), { path: conversations }));
      try {
        return await within(10_000, sent);
      } finally {
        gate.resolve();
        await holder;
        await Promise.all(stuck);
      }
    } finally {
      gate.resolve();
      await database.close();
    }
  }

  test("a blocking create is answered with the conversation as it was written", async () => {
    const json = {
      message: { content: "starved create", mentions: slowpoke },
      blocking: true,
    };
    const answer = await sendAndStarve(
      { path: pathsOf(server()).conversations, json },
      "select 1 from messages where content = 'starved create'",
    );
    expect(answer).toMatchObject({ status: 200 });
    const { conversation } = JSON.parse(answer.text) as Answered;
    expect(conversation?.content[1]?.[0]).toMatchObject({ status: "created" });
  });

  test("a blocking post is answered with the message as it was written", async () => {
    const { conversations } = pathsOf(server());
    const json = { message: { content: "x", mentions: [] } };
    const created = await send(server(), { path: conversations, json });
    const { conversation } = JSON.parse(created.text) as Answered;
    const answer = await sendAndStarve(
      {
        path: `${conversations}/${conversation?.sId}/messages`,
        json: { content: "starved post", mentions: slowpoke, blocking: true },
      },
      "select 1 from messages where content = 'starved post'",
    );
    expect(answer).toMatchObject({ status: 200 });
    const { agentMessages } = JSON.parse(answer.text) as Answered;
    expect(agentMessages?.[0]).toMatchObject({ status: "created" });
  });
});

describe("a create that waits for others to be written", () => {
  const server = shareServer();

  test("is not written once its client has gone", async () => {
    const { conversations } = pathsOf(server());
    const create = (content: string, signal?: AbortSignal) => {
      const json = { message: { content, mentions: [] } };
      return send(server(), { path: conversations, json, ...(signal && { signal }) });
    };
    await create("before");
    const database = await openDatabase(server().place);
    const gate = Promise.withResolvers<void>();
    try {
      const locked = Promise.withResolvers<void>();
      const holder = database.transaction(async (tx) => {
        await tx.execute("lock table messages in access exclusive mode");
        locked.resolve();
        await gate.promise;
      });
      await locked.promise;
      const first = create("first");
      const waitsFor = (text: string) =>
        eventually(async () => {
          const query = `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%${text}%'`;
          const rows = await rowsOf(database, query);
          return rows.length > 0 ? { value: true } : {};
        }, 5000);
      await waitsFor("insert into conversations");
      const hangUp = new AbortController();
      const gone = [1, 2, 3].map((index) => create(`gone ${index}`, hangUp.signal));
      const patient = create("patient");
      // What comes on other connections later is answered later: all have come by then.
      for (let times = 0; times < 5; times++) await send(server(), { path: "/livez" });
      hangUp.abort();
      await Promise.allSettled(gone);
      for (let times = 0; times < 5; times++) await send(server(), { path: "/livez" });
      gate.resolve();
      await holder;
      expect((await first).status).toBe(200);
      expect((await patient).status).toBe(200);
      const rows = await rowsOf(database, "select content from messages order by content");
      expect(rows.map(({ content }) => content)).toEqual(["before", "first", "patient"]);
    } finally {
      gate.resolve();
      await database.close();
    }
  });
});

describe("a commit whose acknowledgement is lost", { timeout: 60_000 }, () => {
  async function withProxy(run: (proxy: AnswerLosingProxy, server: Server) => Promise<void>) {
    await using place = await createPlace();
    await using proxy = await startAnswerLosingProxy(place.databaseUrl ?? "");
    // Its connections to PostgreSQL are cut: no other suite could share it.
    await using server = await startServer(place, { DATABASE_URL: proxy.url });
    await run(proxy, server);
  }

  async function contentsOf(server: Server): Promise<string[]> {
    const database = await openDatabase(server.place);
    try {
      const rows = await rowsOf(
        database,
        "select content from messages where type = 'user_message'",
      );
      return rows.map(({ content }) => content).toSorted();
    } finally {
      await database.close();
    }
  }

  test("answers what was written as written", async () => {
    await withProxy(async (proxy, server) => {
      const { conversations, invocations } = pathsOf(server);
      const mentions: never[] = [];
      const message = (content: string) => ({ message: { content, mentions } });
      const first = await send(server, { path: conversations, json: message("first") });
      const { conversation } = JSON.parse(first.text) as Answered;
      const inConversation = `${conversations}/${conversation?.sId}`;

      const lose = async (text: string, request: Parameters<typeof send>[1]) => {
        const lost = proxy.loseAnswerTo(text);
        const answer = await send(server, request);
        await within(5000, lost);
        return answer;
      };
      const headers = { "idempotency-key": "keyed" };
      const outcomes = [
        await lose("insert_conversation", { path: conversations, json: message("alone") }),
        await lose("commit", { path: conversations, json: message("keyed"), headers }),
        await lose("commit", {
          path: `${inConversation}/messages`,
          json: { content: "posted", mentions },
        }),
        await lose("commit", {
          path: `${inConversation}/content_fragments`,
          json: { title: "t", content: "c", contentType: "text/plain" },
        }),
        await lose("insert_invocations", {
          path: invocations("add"),
          json: { input: { a: 1, b: 2 } },
        }),
        await lose("commit", {
          path: conversations.replace("assistant/conversations", "files"),
          json: {
            contentType: "text/plain",
            fileName: "a.txt",
            fileSize: 3,
            useCase: "conversation",
          },
        }),
        await lose("commit", {
          path: "/rpc/members.add",
          json: {
            json: {
              wId: server.demo.workspaceId,
              email: "lost@example.com",
              username: "lost",
              firstName: "L",
              lastName: "O",
            },
          },
        }),
      ];
      expect(outcomes.map(({ status, text }) => (status < 300 ? "done" : text))).toEqual(
        outcomes.map(() => "done"),
      );
      expect(await contentsOf(server)).toEqual(["alone", "first", "keyed", "posted"]);
      const again = await send(server, { path: conversations, json: message("keyed"), headers });
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    });
  });

  test("creates that share the commit are all answered, and none is made twice", async () => {
    await withProxy(async (proxy, server) => {
      const { conversations } = pathsOf(server);
      const contents = Array.from({ length: 20 }, (_, index) => `shared ${index}`);
      const lost = proxy.loseAnswerTo("insert_conversation");
      const answers = await Promise.all(
        contents.map((content) =>
          send(server, { path: conversations, json: { message: { content, mentions: [] } } }),
        ),
      );
      await within(5000, lost);
      expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
      expect(await contentsOf(server)).toEqual(contents.toSorted());
    });
  });
});
