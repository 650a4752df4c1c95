import { serverEntries } from "./entries/server.ts";
import { testEntries } from "./test-entries.ts";

testEntries(serverEntries);
