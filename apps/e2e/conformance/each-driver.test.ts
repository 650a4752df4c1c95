import { describe } from "vitest";
import { onEachDriver, shareServer } from "../server.ts";
import { createConversationSuite } from "./create-conversation.ts";
import { invocationStreamsSuite } from "./invocation-streams.ts";
import { invocationsSuite } from "./invocations.ts";
import { keptListsSuite } from "./kept-lists.ts";
import { listSkillsSuite } from "./list-skills.ts";
import { functionsSuite } from "./functions.ts";
import { publicUrl } from "./public-url.ts";
import { textSuite } from "./text.ts";

const suites = {
  "create a conversation": createConversationSuite,
  "list skills": listSkillsSuite,
  "keep a list of skills": keptListsSuite,
  "invoke a sandbox function": invocationsSuite,
  "list functions, read and cancel invocations": functionsSuite,
  "follow an invocation": invocationStreamsSuite,
  "text, numbers and depth": textSuite,
};

// Starting a server takes longer than most of these suites, so one serves them all.
onEachDriver((driver) => {
  const server = shareServer(driver, { PARLEY_PUBLIC_URL: `${publicUrl}/` });
  describe.for(Object.entries(suites))("%s", ([, suite]) => {
    suite(server);
  });
});
