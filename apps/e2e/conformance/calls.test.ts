import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { createConversationSuite } from "./create-conversation.suite.ts";
import { invocationStreamsSuite } from "./invocation-streams.suite.ts";
import { invocationsSuite } from "./invocations.suite.ts";
import { cachedListsSuite } from "./cached-lists.suite.ts";
import { listSkillsSuite } from "./list-skills.suite.ts";
import { functionsSuite } from "./functions.suite.ts";
import { publicUrl } from "./public-url.ts";
import { textSuite } from "./text.suite.ts";

const suites = {
  "create a conversation": createConversationSuite,
  "list skills": listSkillsSuite,
  "keep a list of skills": cachedListsSuite,
  "invoke a sandbox function": invocationsSuite,
  "list functions, read and cancel invocations": functionsSuite,
  "follow an invocation": invocationStreamsSuite,
  "text, numbers and depth": textSuite,
};

// Starting a server takes longer than most of these suites, so one serves them all.
describe("a server", () => {
  const server = shareServer({ PARLEY_PUBLIC_URL: `${publicUrl}/` });
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
