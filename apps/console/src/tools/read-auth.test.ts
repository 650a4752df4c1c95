import { expect, test } from "vitest";
import { authKindOf, readAuth } from "./read-auth.ts";

const formOf = (members: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.set(name, value);
  return form;
};

test.for([
  ["none", {}, { headers: {} }],
  ["bearer", { token: " secret " }, { headers: { Authorization: "Bearer secret" } }],
  [
    "headers",
    { headers: "X-Key: a:b\n\nX-Other:c" },
    { headers: { "X-Key": "a:b", "X-Other": "c" } },
  ],
  [
    "client",
    { clientId: "parley", clientSecret: "secret", scope: "" },
    { oauth: { grant: "client_credentials", clientId: "parley", clientSecret: "secret" } },
  ],
  ["personal", { clientId: "" }, { oauth: { grant: "authorization_code" } }],
] as const)("reads %s", ([kind, members, auth]) => {
  expect(readAuth(formOf(members), kind)).toEqual(auth);
});

test("names a line that is not a header", () => {
  expect(() => readAuth(formOf({ headers: "X-Key" }), "headers")).toThrow("not “X-Key”");
});

test("knows the kinds", () => {
  expect([authKindOf("bearer"), authKindOf("keep")]).toEqual(["bearer", undefined]);
});
