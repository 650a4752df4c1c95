import { implementations } from "@parley/core";
import { openTestContext } from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { type CoreContext, lookupTest, outputOf, REFUND } from "../../testing/lookup-test.ts";

type Asked = Parameters<typeof outputOf>[0];

// An agent whose model is simulated looks things up, for whoever asks.

describe("an agent that looks things up", () => {
  const { opened, addAgent, startWorker, divided, ask } = lookupTest();
  let test: typeof opened;
  let builder: CoreContext;
  let openId: string;
  let secretId: string;
  let secretSpace: string;
  let wId: string;
  beforeEach(() => {
    test = opened;
    ({ builder, openId, secretId, secretSpace, wId } = opened);
  });
  const search = (query: string, more = {}) => ({
    name: "knowledge__search",
    params: { query, ...more },
  });
  const titles = ({ message }: Asked) =>
    (message.citations ?? []).map(({ title }) => title).toSorted();

  it("cites what it finds in events, the message and the call, with one number each", async () => {
    const read = {
      name: "knowledge__read",
      params: { dataSourceId: openId, documentId: "refunds" },
    };
    await addAgent({ dataSourceIds: [openId] }, [
      search("refunds"),
      search("returned goods"),
      read,
    ]);
    startWorker();
    await divided();
    const answer = await ask(builder);
    const citation = {
      reference: 1,
      dataSourceId: openId,
      dataSourceName: "Handbook",
      documentId: "refunds",
      title: "Refunds",
      headings: [],
      sourceUrl: null,
      start: 0,
      end: REFUND.length,
    };
    expect(answer.message.citations).toEqual([citation]);
    expect(answer.message.actions.map((one) => one.citationsAllocated)).toEqual([1, 1, 1]);
    const events = answer.log.filter(({ type }) => type === "agent_message_citations");
    expect(events).toMatchObject(
      answer.message.actions.map(({ sId }) => ({ callId: sId, citations: [citation] })),
    );
    expect(outputOf(answer)).toBe(
      `[1] Refunds\ndataSourceId "${openId}" (Handbook), documentId "refunds", characters 0 to ${REFUND.length}, ` +
        `changed ${new Date(test.clock.now).toISOString().slice(0, 10)}\n${REFUND}`,
    );
    expect(outputOf(answer, 2)).toContain(REFUND);
  });

  it("finds what whoever asks reaches, not what its maker does", async () => {
    await addAgent({ everything: true }, [search("refund")]);
    startWorker();
    await divided();
    const user = await openTestContext(test.core, builder.caller.workspace);
    const tokenOf = (spaceIds: readonly number[] | undefined): CoreContext => {
      const userToken = {
        sid: "tok_x",
        scopes: new Set(["conversations:write"] as const),
        spaceIds,
        keyRole: "builder",
        expiresAt: Infinity,
      };
      const caller = { ...builder.caller, userToken };
      return Object.assign(Object.create(builder) as CoreContext, { caller });
    };
    expect(titles(await ask(builder))).toEqual(["Fraud", "Refunds"]);
    expect(titles(await ask(user))).toEqual(["Refunds"]);
    expect(titles(await ask(tokenOf([])))).toEqual(["Refunds"]);
    expect(titles(await ask(tokenOf(undefined)))).toEqual(["Fraud", "Refunds"]);
    // In a space, its own documents alone.
    expect(titles(await ask(builder, { spaceId: secretSpace }))).toEqual(["Fraud"]);
  });

  it("leaves out the tags that the message excludes, and shows no restricted document where others read", async () => {
    await addAgent({ dataSourceIds: [openId, secretId] }, [search("refund")]);
    startWorker();
    await divided();
    expect(titles(await ask(builder, {}, { excludedRetrievalTags: ["public"] }))).toEqual([
      "Fraud",
    ]);
    const { spaces } = await implementations["spaces.list"](
      builder,
      parseInput(endpoints["spaces.list"], { wId }),
    );
    const open = spaces.find(({ name }) => name === "Open")!.sId;
    expect(titles(await ask(builder, { spaceId: open }))).toEqual(["Refunds"]);
  });

  it("reads and lists no document that it may not search", async () => {
    const read = (dataSourceId: string, documentId: string) => ({
      name: "knowledge__read",
      params: { dataSourceId, documentId },
    });
    const list = (params: Record<string, unknown>) => ({ name: "knowledge__list", params });
    await addAgent({ dataSourceIds: [openId] }, [
      read(secretId, "fraud"),
      read("dts_unknown", "x"),
      list({}),
      list({ dataSourceId: openId }),
      list({ dataSourceId: secretId }),
      search("fraud"),
      search("!!"),
      { name: "knowledge__search", params: { query: 7, after: "soon" } },
    ]);
    startWorker();
    await divided();
    const answer = await ask(builder);
    const outputs = answer.message.actions.map((_, nth) => outputOf(answer, nth));
    expect(outputs[0]).toBe(outputs[1]);
    expect(outputs.slice(2)).toEqual([
      `- dataSourceId "${openId}": Handbook`,
      '- documentId "refunds": Refunds',
      "There is nothing to list",
      "Nothing was found",
      "Nothing was found",
      "query must be a text",
    ]);
    expect(answer.message.citations).toBeUndefined();
  });

  it("is offered no tool without anything that it may look up", async () => {
    await addAgent({}, [search("refund")]);
    startWorker();
    const answer = await ask(builder);
    expect(outputOf(answer)).toContain("No tool named knowledge__search");
  });
});
