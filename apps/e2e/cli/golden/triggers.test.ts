import { triggerEntries } from "./entries/triggers.ts";
import { testEntries } from "./test-entries.ts";

testEntries(triggerEntries);
