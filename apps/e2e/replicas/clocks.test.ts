import { ConversationPage, CreatedConversation } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonOf, minimal, pathsOf, send } from "../request.ts";
import {
  createPlace,
  openHostedServer,
  type Place,
  type Server,
  type Settings,
  settingsFor,
  startProgram,
  within,
} from "../server.ts";

// Machines have clocks of their own: clients see one time, and one order.

const TWO_MINUTES = 120_000;
/** Less than the clocks are apart, and more than anything takes on a busy machine. */
const NEAR_MS = 20_000;

/** What Node runs before the program: the machine's clock is wrong. */
const wrongClock = `const now = Date.now;
  Date.now = () => now() + ${TWO_MINUTES};
  performance.now = ((running) => () => running() - ${TWO_MINUTES})(performance.now.bind(performance));`;

describe("an API whose clock is two minutes ahead of another's", () => {
  let place: Place;
  let right: Server;
  let wrong: { url: string; close(): Promise<void> };
  beforeAll(async () => {
    place = await createPlace();
    right = await openHostedServer(place);
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(wrongClock)}`;
    const settings: Settings & { NODE_OPTIONS: string } = { ...settingsFor(place), NODE_OPTIONS };
    const program = startProgram(["api"], settings);
    const url = await within(60_000, listening(program.output));
    wrong = {
      url,
      close: async () => {
        program.signal("SIGTERM");
        await within(20_000, program.exited);
      },
    };
  });
  afterAll(async () => {
    await wrong?.close();
    await right?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  test("tells the same times, and lists the newest conversation first", async () => {
    const servers = [right, { url: wrong.url, demo: right.demo }] as const;
    const { conversations: path } = pathsOf(right);
    const created: string[] = [];
    for (const turn of [0, 1, 1, 0, 1, 0] as const) {
      const before = Date.now();
      const answer = await send(servers[turn], { path, json: minimal });
      const { conversation, message } = jsonOf(answer, CreatedConversation).parsed;
      for (const at of [conversation.created, conversation.updated, message.created]) {
        expect(Math.abs(at - before)).toBeLessThan(NEAR_MS);
      }
      created.unshift(conversation.sId);
    }
    for (const server of servers) {
      const page = jsonOf(await send(server, { path }), ConversationPage).parsed;
      expect(page.conversations.map(({ sId }) => sId)).toEqual(created);
      const times = page.conversations.map((conversation) => conversation.created);
      expect(Math.max(...times) - Math.min(...times)).toBeLessThan(NEAR_MS);
    }
  });
});

async function listening(output: { readonly stdout: string }): Promise<string> {
  for (;;) {
    const [, url] = /Parley listens on (http:\S+)/.exec(output.stdout) ?? [];
    if (url !== undefined) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
