import type pg from "pg";
import { interleave } from "../interleave.ts";
import { openConnection } from "../load/http-connection.ts";
import { formatGet } from "../load/plan.ts";
import { type ListSize, touchSkill } from "./seed-skills.ts";

/** Where a list is asked for. */
export interface ListAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long a first list took, from the request to the whole answer. */
export interface FirstList {
  readonly ms: number;
}

const WARM_UP = 5;

/** Times lists that come right behind a change, in turn at each address. */
export async function timeFirstLists(
  client: pg.Client,
  size: ListSize,
  { addresses, rounds }: { addresses: readonly ListAddress[]; rounds: number },
): Promise<FirstList[][]> {
  const ask = async ({ url, headers }: ListAddress): Promise<FirstList> => {
    await touchSkill(client, size);
    const connection = await openConnection(url.hostname, Number(url.port));
    try {
      const startedAt = performance.now();
      const { status } = await connection.send(Buffer.from(formatGet(url, headers)));
      const ms = performance.now() - startedAt;
      if (status !== 200) throw new Error(`Expected 200, got ${status}`);
      return { ms };
    } finally {
      connection.close();
    }
  };
  await interleave(addresses, WARM_UP, ask);
  return interleave(addresses, rounds, ask);
}
