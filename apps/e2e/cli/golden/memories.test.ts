import { memoryEntries } from "./entries/memories.ts";
import { testEntries } from "./test-entries.ts";

testEntries(memoryEntries);
