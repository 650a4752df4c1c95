import { connectionEntries } from "./entries/connection.ts";
import { testEntries } from "./test-entries.ts";

testEntries(connectionEntries);
