import {
  type Context,
  createCredentials,
  createSpace,
  findConversationStream,
  generateApiKey,
  insertApiKey,
  type StreamSpace,
  updateApiKey,
  updateSpace,
} from "@parley/core";
import {
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findRefusedStreams, type OpenStream } from "./open-streams.ts";

describe("streams that would be refused", () => {
  let test: TestCore;
  let admin: Context;
  let workspaceId: string;
  beforeAll(async () => {
    test = await openTestCore();
    const workspace = await insertTestWorkspace(test.core);
    admin = await openTestContext(test.core, workspace, "admin");
    workspaceId = workspace.sid;
  });
  afterAll(() => test.close());

  const createKey = async () => {
    const secret = generateApiKey();
    const { id } = admin.caller.workspace;
    const key = { workspaceId: id, name: "k", role: "user", secret } as const;
    return { secret, row: await insertApiKey(test.core, test.core.database.db, key) };
  };
  const openStream = (secret: string, space?: StreamSpace): OpenStream => ({
    name: "conversations.events",
    keyId: secret,
    workspaceId,
    authorization: `Bearer ${secret}`,
    seesAll: false,
    space,
    // Nothing else of it is looked at.
    ...({} as Pick<OpenStream, "counts" | "isResumed" | "end">),
  });

  it("are found with one statement for ten thousand, once their keys are known", async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, createKey));
    const ids = keys.map(({ row }) => row.sid);
    const spaces = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const about = { wId: workspaceId, name: `S${index}`, isRestricted: true };
        const keyIds = [...ids, admin.caller.apiKey.sid];
        const { space } = await createSpace(admin, { ...about, keyIds });
        const { conversation } = await createTestConversation(admin, [], { spaceId: space.sId });
        const stream = await findConversationStream(admin, { cId: conversation.sId });
        return { spaceId: space.sId, ofStream: stream.space! };
      }),
    );
    const ofKeys = keys.map(
      ({ secret }) =>
        new Set(
          Array.from({ length: 500 }, (_, index) =>
            openStream(secret, spaces[index % spaces.length]!.ofStream),
          ),
        ),
    );
    const credentials = createCredentials(test.core);
    const find = () => findRefusedStreams({ core: test.core, credentials }, ofKeys);
    expect((await find()).size).toBe(0);
    const { session } = test.core.database.db as unknown as {
      session: { prepareQuery: () => unknown };
    };
    const prepared = vi.spyOn(session, "prepareQuery");
    expect((await find()).size).toBe(0);
    expect(prepared).toHaveBeenCalledTimes(1);
    prepared.mockRestore();

    // The first key loses a space, the second its role, and all of them another space.
    const [, second = ""] = ids;
    const [one, two] = spaces;
    const giveSpace = (spaceId: string, keyIds: string[]) =>
      updateSpace(
        admin,
        parseInput(endpoints["spaces.update"], { wId: workspaceId, spaceId, keyIds }),
      );
    await giveSpace(one!.spaceId, ids.slice(1));
    const withoutRole = { wId: workspaceId, keyId: second, role: "none" } as const;
    await updateApiKey(admin, parseInput(endpoints["apiKeys.update"], withoutRole));
    await giveSpace(two!.spaceId, []);
    const types = [...(await find()).values()].map((refusal) => refusal?.type);
    expect(types.filter((type) => type === "app_auth_error")).toHaveLength(500);
    expect(types.filter((type) => type === "conversation_not_found")).toHaveLength(
      // 50 of the first key in the space that it lost, and 50 of each but the second in the other.
      50 + 19 * 50,
    );
    credentials.close();
  });
});
