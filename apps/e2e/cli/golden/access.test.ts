import { accessEntries } from "./entries/access.ts";
import { testEntries } from "./test-entries.ts";

testEntries(accessEntries);
