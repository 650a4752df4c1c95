import { conversationEntries } from "./entries/conversations.ts";
import { testEntries } from "./test-entries.ts";

testEntries(conversationEntries);
