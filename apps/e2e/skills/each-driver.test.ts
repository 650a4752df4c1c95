import { describe } from "vitest";
import { onEachDriver, shareServer } from "../server.ts";
import { importsSuite } from "./imports.ts";
import { useSuite } from "./use.ts";

onEachDriver((driver) => {
  const server = shareServer(driver);
  describe("the import of skill folders", () => {
    importsSuite(server);
  });
  describe("the use of skills", () => {
    useSuite(server);
  });
});
