import { expect, test } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched, type RawConnection, sendRaw } from "./raw.ts";

const MAX_CONNECTIONS = 20;
const server = shareServer("pglite", { PARLEY_MAX_CONNECTIONS: String(MAX_CONNECTIONS) });

test("a server has so many connections, and a place is free once one is closed", async () => {
  const live = compose(server(), "GET /livez HTTP/1.1");
  const held: RawConnection[] = [];
  try {
    for (let count = 0; count < MAX_CONNECTIONS; count++) {
      const connection = await connectTo(server());
      held.push(connection);
      connection.write(live);
      expect((await connection.answer()).status).toBe(200);
    }
    using refused = await connectTo(server());
    refused.write(live);
    expect(await refused.closed()).toBe("");
  } finally {
    for (const connection of held) connection[Symbol.dispose]();
  }
  const again = await eventually(async () => {
    const answer = await sendRaw(server(), live).catch(() => undefined);
    return answer === undefined ? {} : { value: answer };
  }, 5000);
  expect(again.status).toBe(200);
  await expectUntouched(server());
});
