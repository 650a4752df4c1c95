import { insertTestAgent, insertTestWorkspace, openTestContext } from "@parley/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { type CoreContext, lookupTest, outputOf, steps } from "../../testing/lookup-test.ts";

describe("an agent that looks tables up", () => {
  const { opened, uploadTable, addAgent, startWorker, divided, ask } = lookupTest();
  let test: typeof opened;
  let builder: CoreContext;
  let openId: string;
  let secretId: string;
  let secretSpace: string;
  beforeEach(() => {
    test = opened;
    ({ builder, openId, secretId, secretSpace } = opened);
  });
  const query = (dataSourceId: string, tableId: string, more = {}) => ({
    name: "knowledge__table",
    params: { dataSourceId, tableId, ...more },
  });
  it("lists tables and queries them, and cites a table under one number", async () => {
    const csv = "city,product,price,since\nParis,Tea,3.5,2026-01-31\nParis,Milk,1.1,\nRome,Tea,4,";
    await uploadTable(openId, "prices", csv, { title: "Prices" });
    await addAgent({ dataSourceIds: [openId] }, [
      { name: "knowledge__list", params: { dataSourceId: openId } },
      query(openId, "prices", {
        groupBy: ["city"],
        aggregates: [{ function: "sum", column: "price" }, { function: "count" }],
        orderBy: [{ by: "sum(price)", descending: true }],
      }),
      query(openId, "prices", {
        columns: ["product", "since"],
        filters: [{ column: "since", operator: "gte", value: "2026-01-01" }],
      }),
      query(openId, "prices", { filters: [{ column: "cost", operator: "eq", value: 1 }] }),
      query(openId, "prices", { limit: 1000 }),
    ]);
    startWorker();
    await divided();
    const answer = await ask(builder);
    const day = new Date(test.clock.now).toISOString().slice(0, 10);
    const about = `[1] Prices\ndataSourceId "${openId}" (Handbook), tableId "prices", changed ${day}\n`;
    expect(answer.message.actions.map((_, nth) => outputOf(answer, nth))).toEqual([
      '- tableId "prices": Prices, a table of 3 rows with the columns city, product, price, since\n' +
        '- documentId "refunds": Refunds',
      `${about}Rows 1 to 2 of 2\n["city","sum(price)","count"]\n["Paris",4.6,2]\n["Rome",4,1]`,
      `${about}Rows 1 to 1 of 1\n["product","since"]\n["Tea","2026-01-31"]`,
      'filters[0].column: the table has no column "cost", but city, product, price, since',
      expect.stringContaining("limit: "),
    ]);
    expect(answer.message.citations).toEqual([
      {
        reference: 1,
        dataSourceId: openId,
        dataSourceName: "Handbook",
        documentId: "prices",
        title: "Prices",
        headings: [],
        sourceUrl: null,
        start: 0,
        end: 0,
      },
    ]);
  });

  it("finds tables that whoever asks reaches, and no others", async () => {
    await uploadTable(secretId, "losses", "case\nvermilion\n", { tags: ["old"] });
    await addAgent({ everything: true }, [
      query(secretId, "losses"),
      query(secretId, "fraud"),
      { name: "knowledge__list", params: { dataSourceId: secretId } },
    ]);
    startWorker();
    await divided();
    const outputs = async (...asked: Parameters<typeof ask>) => {
      const answer = await ask(...asked);
      return answer.message.actions.map((_, nth) => outputOf(answer, nth));
    };
    const unknown = "No such table: use the ids that knowledge__list gives";
    const nothing = [unknown, unknown, "There is nothing to list"];
    const [rows, document, list] = await outputs(builder);
    expect([rows, document, list]).toEqual([
      expect.stringContaining('["vermilion"]'),
      unknown,
      expect.stringContaining('tableId "losses"'),
    ]);
    const user = await openTestContext(test.core, builder.caller.workspace);
    expect(await outputs(user)).toEqual(nothing);
    const token = { sid: "tok_x", scopes: new Set([]), spaceIds: [], keyRole: "builder" };
    const caller = { ...builder.caller, userToken: { ...token, expiresAt: Infinity } };
    expect(await outputs(Object.assign(Object.create(builder) as CoreContext, { caller }))).toEqual(
      nothing,
    );
    const [excluded] = await outputs(builder, {}, { excludedRetrievalTags: ["old"] });
    expect(excluded).toBe(unknown);
    expect((await outputs(builder, { spaceId: secretSpace }))[0]).toBe(rows);
    // Of another workspace, not even one that is open.
    const other = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, other);
    await insertTestAgent(test.core, other, {
      sid: "ann",
      knowledge: { everything: true },
      script: steps([query(openId, "prices"), query(secretId, "losses")]),
    });
    await uploadTable(openId, "prices", "a\n1\n");
    expect(await outputs(stranger)).toEqual([unknown, unknown]);
  });
});
