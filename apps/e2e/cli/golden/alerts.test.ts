import { alertEntries } from "./entries/alerts.ts";
import { testEntries } from "./test-entries.ts";

testEntries(alertEntries);
