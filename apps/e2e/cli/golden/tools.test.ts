import { toolEntries } from "./entries/tools.ts";
import { testEntries } from "./test-entries.ts";

testEntries(toolEntries);
