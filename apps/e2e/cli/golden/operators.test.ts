import { operatorEntries } from "./entries/operators.ts";
import { testEntries } from "./test-entries.ts";

testEntries(operatorEntries);
