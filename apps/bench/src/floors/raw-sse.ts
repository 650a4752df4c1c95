// What following costs at least: bare node:http that writes one ready buffer to every open
// response of a channel, and nothing else. A GET follows the channel that its path names, a POST
// publishes its body there; the process that started it can have a whole plan published.
// Usage: node raw-sse.ts [port]
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { answerParent } from "../child-requests.ts";
import {
  collectGarbage,
  type PublisherRequests,
  publishOneByOne,
  type PublishPlan,
  runPublishPlan,
} from "../fanout/publish-plan.ts";

const channels = new Map<string, Set<ServerResponse>>();

function publish(channel: string, json: string): void {
  const frame = Buffer.from(`data: ${json}\n\n`);
  for (const response of channels.get(channel) ?? []) response.write(frame);
}

async function takePost(
  channel: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  publish(channel, await text(request));
  response.end("{}");
}

const server = createServer((request, response) => {
  const channel = request.url?.slice(1) ?? "";
  if (request.method === "POST") {
    void takePost(channel, request, response);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const responses = channels.getOrInsertComputed(channel, () => new Set());
  responses.add(response);
  response.on("close", () => responses.delete(response));
});

const requests: PublisherRequests = {
  publish: (plan: PublishPlan) =>
    runPublishPlan(plan, (round) =>
      publishOneByOne(round, (channel, event) => publish(channel, JSON.stringify(event))),
    ),
  collectGarbage,
};
answerParent(requests);
server.listen(Number(process.argv[2] ?? 8091), "127.0.0.1");
