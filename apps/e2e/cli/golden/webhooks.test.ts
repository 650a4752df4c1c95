import { webhookEntries } from "./entries/webhooks.ts";
import { testEntries } from "./test-entries.ts";

testEntries(webhookEntries);
