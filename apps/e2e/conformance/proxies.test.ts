import { expect, test } from "vitest";
import { type Answer, pathsOf, send } from "../request.ts";
import { type Server, shareServer } from "../server.ts";

// Whose address counts if a proxy is in front: refused credentials are limited by address.

const limit = { PARLEY_RATE_FAILED_AUTH_PER_MINUTE: "2" };
const direct = shareServer(limit);
const behind = shareServer({
  ...limit,
  PARLEY_TRUSTED_PROXIES: "127.0.0.0/8, ::1, 10.1.0.0/16",
});

const refuse = (server: Server, forwardedFor: string): Promise<Answer> =>
  send(server, {
    path: pathsOf(server).skills,
    key: "sk-nobody",
    headers: { "x-forwarded-for": forwardedFor },
  });
const statuses = async (server: Server, addresses: readonly string[]): Promise<number[]> => {
  const found = [];
  for (const address of addresses) found.push((await refuse(server, address)).status);
  return found;
};

test("without trusted proxies nobody can say that they are somebody else", async () => {
  const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
  expect(await statuses(direct(), addresses)).toEqual([401, 401, 429, 429]);
});

test("behind a trusted proxy each client has its own limit", async () => {
  expect(await statuses(behind(), ["192.0.2.1", "192.0.2.1", "192.0.2.1"])).toEqual([
    401, 401, 429,
  ]);
  expect(await statuses(behind(), ["192.0.2.2"])).toEqual([401]);
});

test("what a client says in front of its own address does not count", async () => {
  const forged = ["198.51.100.1", "198.51.100.2", "198.51.100.3", "rubbish", ""];
  const headers = forged.map((address) => `${address}, 192.0.2.7, 10.1.2.3`);
  expect(await statuses(behind(), headers)).toEqual([401, 401, 429, 429, 429]);
});

test("the addresses of an IPv6 network are one client", async () => {
  const addresses = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"];
  expect(await statuses(behind(), addresses)).toEqual([401, 401, 429]);
  expect(await statuses(behind(), ["2001:db8:1:3::1"])).toEqual([401]);
});

test("what is not an address is one client", async () => {
  expect(await statuses(behind(), ["a", "<b>", "'; --"])).toEqual([401, 401, 429]);
});

test("a valid key is never limited by its address", async () => {
  const headers = { "x-forwarded-for": "192.0.2.1" };
  expect((await refuse(behind(), "192.0.2.1")).status).toBe(429);
  const answer = await send(behind(), { path: pathsOf(behind()).skills, headers });
  expect(answer.status).toBe(200);
});
