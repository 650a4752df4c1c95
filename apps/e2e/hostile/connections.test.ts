import { describe, expect, test } from "vitest";
import { eventually, type Server, shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched, type RawConnection, sendRaw } from "./raw.ts";

const MAX_CONNECTIONS = 20;

const lineOf = (server: Server) => compose(server, "GET /livez HTTP/1.1");

/** Opens connections until one is hung up on, and keeps those that are answered. */
async function fill(server: Server, held: RawConnection[], localAddress?: string): Promise<void> {
  while (held.length <= MAX_CONNECTIONS) {
    const connection = await connectTo(server, localAddress);
    connection.write(lineOf(server));
    const answer = await connection.answer().catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(200);
    held.push(connection);
  }
}

function closeAll(held: readonly RawConnection[]): void {
  for (const connection of held) connection[Symbol.dispose]();
}

describe("a server whose one address may have all connections", () => {
  const server = shareServer({
    PARLEY_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    PARLEY_MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS),
  });

  test("a server has so many connections, and a place is free once one is closed", async () => {
    const live = lineOf(server());
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
      closeAll(held);
    }
    const again = await eventually(async () => {
      const answer = await sendRaw(server(), live).catch(() => undefined);
      return answer === undefined ? {} : { value: answer };
    }, 5000);
    expect(again.status).toBe(200);
    await expectUntouched(server());
  });
});

describe("a server with the bound that it has by default", () => {
  const server = shareServer({ PARLEY_MAX_CONNECTIONS: String(MAX_CONNECTIONS) });

  test("one address that keeps all its connections open leaves room for others", async () => {
    const held: RawConnection[] = [];
    try {
      await fill(server(), held);
      expect(held).toHaveLength(MAX_CONNECTIONS / 2);
      for (const bystander of ["127.0.0.2", "127.0.0.3", "127.0.0.2"]) {
        using connection = await connectTo(server(), bystander);
        connection.write(lineOf(server()));
        expect((await connection.answer()).status).toBe(200);
      }
      using refused = await connectTo(server());
      expect(await refused.closed()).toBe("");
    } finally {
      closeAll(held);
    }
    await eventually(async () => {
      const answer = await sendRaw(server(), lineOf(server())).catch(() => undefined);
      return answer === undefined ? {} : { value: answer };
    }, 5000);
    await expectUntouched(server());
  });
});

describe("a server behind a proxy that it trusts", () => {
  const server = shareServer({
    PARLEY_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    PARLEY_TRUSTED_PROXIES: "127.0.0.0/30, ::1",
  });

  test("the proxy may have all connections, for a shorter time the more there are", async () => {
    const held: RawConnection[] = [];
    const keptSeconds: number[] = [];
    try {
      for (let count = 0; count < MAX_CONNECTIONS; count++) {
        const connection = await connectTo(server());
        held.push(connection);
        connection.write(lineOf(server()));
        const { headers } = await connection.answer();
        keptSeconds.push(Number(/timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1]));
      }
    } finally {
      closeAll(held);
    }
    expect(keptSeconds.slice(0, MAX_CONNECTIONS / 2)).toEqual(Array(MAX_CONNECTIONS / 2).fill(72));
    expect(keptSeconds.at(-1)).toBe(5);
    expect(keptSeconds).toEqual(keptSeconds.toSorted((a, b) => b - a));
  });
});
