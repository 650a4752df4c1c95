import { traceEntries } from "./entries/traces.ts";
import { testEntries } from "./test-entries.ts";

testEntries(traceEntries);
