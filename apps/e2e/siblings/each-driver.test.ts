import { describe } from "vitest";
import { onEachDriver, shareServer } from "../server.ts";
import { agentsAndSpacesSuite } from "./agents-and-spaces.ts";
import { cancelAndRetrySuite } from "./cancel-and-retry.ts";
import { conversationStreamsSuite } from "./conversation-streams.ts";
import { messageStreamsSuite } from "./message-streams.ts";
import { postsSuite } from "./posts.ts";
import { storedConversationsSuite } from "./stored-conversations.ts";
import { unknownThingsSuite } from "./unknown-things.ts";

const suites = {
  "agents and spaces": agentsAndSpacesSuite,
  "cancel and retry": cancelAndRetrySuite,
  "streams of conversations": conversationStreamsSuite,
  "streams of messages": messageStreamsSuite,
  "messages and fragments": postsSuite,
  "stored conversations": storedConversationsSuite,
  "unknown things": unknownThingsSuite,
};

onEachDriver((driver) => {
  const server = shareServer(driver);
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
