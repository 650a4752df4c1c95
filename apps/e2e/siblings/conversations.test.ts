import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { agentsAndSpacesSuite } from "./agents-and-spaces.suite.ts";
import { cancelAndRetrySuite } from "./cancel-and-retry.suite.ts";
import { clientRoutesSuite } from "./client-routes.suite.ts";
import { conversationStreamsSuite } from "./conversation-streams.suite.ts";
import { fragmentsAndWarningsSuite } from "./fragments-and-warnings.suite.ts";
import { laterRoutesSuite } from "./later-routes.suite.ts";
import { messageStreamsSuite } from "./message-streams.suite.ts";
import { postsSuite } from "./posts.suite.ts";
import { storedConversationsSuite } from "./stored-conversations.suite.ts";
import { unknownThingsSuite } from "./unknown-things.suite.ts";

const suites = {
  "agents and spaces": agentsAndSpacesSuite,
  "cancel and retry": cancelAndRetrySuite,
  "further routes of clients": clientRoutesSuite,
  "later routes": laterRoutesSuite,
  "streams of conversations": conversationStreamsSuite,
  "streams of messages": messageStreamsSuite,
  "messages and fragments": postsSuite,
  "fragments and warnings": fragmentsAndWarningsSuite,
  "stored conversations": storedConversationsSuite,
  "unknown things": unknownThingsSuite,
};

describe("a server", () => {
  const server = shareServer();
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
