// A process of its own, so that its processor time can be told from the server's. It sends the
// requests of one plan after the other, and ends with the process that started it.
import { answerLoads, type Loop } from "./closed-loop.ts";
import { openConnection } from "./http-connection.ts";
import type { LoadPlan } from "./plan.ts";

/** Connections that send the plan's requests, on each the next one when the answer came. */
async function connect(plan: LoadPlan): Promise<Loop[]> {
  const { host, port, mustBe = 200, mustContain } = plan;
  const requests = plan.requests.map((request) => Buffer.from(request));
  let sent = 0;
  const nextRequest = () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
  const openLoop = async (): Promise<Loop> => {
    const connection = await openConnection(host, port);
    return {
      next: async () => {
        const { status, body } = await connection.send(nextRequest());
        if (status === mustBe && body.includes(mustContain)) return;
        const got = `${status}: ${body.toString().slice(0, 500)}`;
        throw new Error(`Expected ${mustBe} and ${mustContain}, got ${got}`);
      },
      close: async () => connection.close(),
    };
  };
  return Promise.all(Array.from({ length: plan.connections }, openLoop));
}

answerLoads(connect);
