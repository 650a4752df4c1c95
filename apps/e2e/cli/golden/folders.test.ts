import { folderEntries } from "./entries/folders.ts";
import { testEntries } from "./test-entries.ts";

testEntries(folderEntries);
