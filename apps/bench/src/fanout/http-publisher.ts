import { openConnection } from "../load/http-connection.ts";
import { formatPost } from "../load/plan.ts";
import { publishOneByOne, type PublishPlan, runPublishPlan } from "./publish-plan.ts";

/** Publishes for a server that takes events by POST, each at the url of its log. */
export async function publishByPost(
  plan: PublishPlan,
  urlOf: (log: string) => URL,
): Promise<number[]> {
  const urls = new Map(plan.logs.map((log) => [log, urlOf(log)]));
  const [first = urlOf("")] = urls.values();
  const connection = await openConnection(first.hostname, Number(first.port));
  try {
    // The connection carries one request at a time.
    return await runPublishPlan({ ...plan, atOnce: 1 }, (round) =>
      publishOneByOne(round, async (log, event) => {
        const url = urls.get(log) ?? urlOf(log);
        const { status, body } = await connection.send(Buffer.from(formatPost(url, {}, event)));
        if (status >= 300) throw new Error(`Publishing got ${status}: ${body.toString()}`);
      }),
    );
  } finally {
    connection.close();
  }
}
