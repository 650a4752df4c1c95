import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { importsSuite } from "./imports.suite.ts";
import { useSuite } from "./use.suite.ts";

describe("a server", () => {
  const server = shareServer();
  describe("the import of skill folders", () => {
    importsSuite(server);
  });
  describe("the use of skills", () => {
    useSuite(server);
  });
});
