import { fileEntries } from "./entries/files.ts";
import { testEntries } from "./test-entries.ts";

testEntries(fileEntries);
