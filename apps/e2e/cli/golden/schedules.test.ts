import { scheduleEntries } from "./entries/schedules.ts";
import { testEntries } from "./test-entries.ts";

testEntries(scheduleEntries);
