import { describe } from "vitest";
import { shareServer } from "../server.ts";
import { announcementsSuite } from "./announcements.suite.ts";
import { badFormsSuite } from "./bad-forms.suite.ts";
import { deletionsSuite } from "./deletions.suite.ts";
import { roundTripsSuite } from "./round-trips.suite.ts";

const IDLE_MS = 300;
const settings = {
  PARLEY_TRANSFER_IDLE_MS: String(IDLE_MS),
  PARLEY_RATE_CREATE_PER_MINUTE: "0",
  PARLEY_RATE_CREATE_PER_HOUR: "0",
  PARLEY_RATE_READ_PER_MINUTE: "0",
  PARLEY_MAX_FILE_BYTES: String(20 * 2 ** 20),
  PARLEY_WORKSPACE_BYTES: String(30 * 2 ** 20),
  PARLEY_LOG_LEVEL: "trace",
};

describe("a server", () => {
  const server = shareServer(settings);
  describe("files that are as they should be", () => {
    roundTripsSuite(server);
  });
  describe("announcements, and fragments that name files", () => {
    announcementsSuite(server);
  });
  describe("files that are deleted", () => {
    deletionsSuite(server);
  });
  describe("uploads that are not as they should be", () => {
    badFormsSuite(server, IDLE_MS);
  });
});
