import { agentEntries } from "./entries/agents.ts";
import { testEntries } from "./test-entries.ts";

testEntries(agentEntries);
