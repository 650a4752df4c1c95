import { isNightly, testSeed } from "@parley/db/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";
import { type Drawn, requestsOf } from "./arbitraries.ts";
import { type Contract, type Operation, readContract } from "./contract.ts";
import { makeThings } from "./requests.ts";

// Whatever is sent to an operation is answered as the document says, and what the document does not
// take is refused. A failure prints the seed, the path to the case and its smallest form.

const CASES = isNightly ? 20_000 : 400;
const PARALLEL = 8;
/** A request that waits for nothing is answered long before, and the smallest form of a case is found. */
const ANSWER_MS = 30_000;
const LIMIT_MS = isNightly ? 1_800_000 : 120_000;
const server = shareServer({ PARLEY_RATE_READ_PER_MINUTE: "0" });

/** Streams are endless, forms are drawn elsewhere, and what is deleted answers nothing any more. */
function isDrawn({ path, operationId, requestBody }: Operation): boolean {
  const isForm = requestBody?.content["multipart/form-data"] !== undefined;
  const isKept = operationId === "conversations.delete";
  return path.startsWith("/api/") && !path.startsWith("/api/sse/") && !isForm && !isKept;
}

/** Sends what was drawn, and gives the status of its answer, which is as documented. */
async function expectAnswered(contract: Contract, drawn: Drawn): Promise<number> {
  const { operation, path, headers, body } = drawn;
  const { method, requestBody } = operation;
  const answer = await send(server(), {
    method,
    path,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  expect(contract.findFaults(operation, answer)).toEqual([]);
  expect(answer.status).toBeLessThan(500);
  const schema = requestBody?.content["application/json"]?.schema;
  const mustBeRefused = schema !== undefined && !contract.takes(schema, body);
  expect(mustBeRefused && answer.status < 400).toBe(false);
  return answer.status;
}

test(
  "drawn requests are answered as documented, and never with a failure of the server",
  async () => {
    const contract = await readContract(server());
    const values = await makeThings(server);
    const drawn = contract.operations
      .filter(isDrawn)
      .map((operation) => requestsOf(operation, contract, values));
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(fc.oneof(...drawn), async (one) => {
      const status = await expectAnswered(contract, one);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    const numRuns = CASES / PARALLEL;
    const limits = { interruptAfterTimeLimit: LIMIT_MS / 2, markInterruptAsFailure: true };
    await Promise.all(
      Array.from({ length: PARALLEL }, async (_, lane) =>
        fc.assert(property, { seed: testSeed + lane, numRuns, ...limits }),
      ),
    );
    // Neither is all refused, nor all taken.
    for (const status of [200, 400, 404]) {
      expect(
        statuses.get(status) ?? 0,
        `${status} of ${JSON.stringify([...statuses])}`,
      ).toBeGreaterThan(CASES / 100);
    }
  },
  LIMIT_MS,
);
