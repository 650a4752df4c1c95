import { functionEntries } from "./entries/functions.ts";
import { testEntries } from "./test-entries.ts";

testEntries(functionEntries);
