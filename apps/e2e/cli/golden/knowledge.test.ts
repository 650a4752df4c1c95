import { knowledgeEntries } from "./entries/knowledge.ts";
import { testEntries } from "./test-entries.ts";

testEntries(knowledgeEntries);
