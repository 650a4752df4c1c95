import { skillEntries } from "./entries/skills.ts";
import { testEntries } from "./test-entries.ts";

testEntries(skillEntries);
