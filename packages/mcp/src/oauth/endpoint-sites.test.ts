import { expect, it } from "vitest";
import { isOfIssuer } from "./endpoint-sites.ts";

const cases: readonly [string, string, boolean][] = [
  ["https://login.example.com/tenant", "https://login.example.com/token", true],
  ["https://mcp.atlassian.com", "https://cf.mcp.atlassian.com/v1/token", true],
  ["https://login.example.co.uk", "https://api.example.co.uk/token", true],
  ["https://login.example.com", "https://login.example.com:8443/token", true],
  ["https://example.com", "https://example.com.evil.net/token", false],
  ["https://one.co.uk", "https://other.co.uk/token", false],
  // Whoever rents a name below a public suffix owns that name alone.
  ["https://one.github.io", "https://other.github.io/token", false],
  ["https://one.vercel.app", "https://api.one.vercel.app/token", true],
  ["https://login.example.com", "http://api.example.com/token", false],
  // No list names the owners of these.
  ["https://10.0.0.1", "https://10.0.0.2/token", false],
  ["http://127.0.0.1:4000", "http://127.0.0.1:4001/token", false],
  ["http://127.0.0.1:4000", "http://127.0.0.1:4000/token", true],
  ["https://[2001:db8::1]", "https://[2001:db8::2]/token", false],
  ["http://localhost:4000", "http://localhost:4000/token", true],
  ["http://localhost:4000", "http://localhost:4001/token", false],
  ["https://one.corp.internal", "https://two.corp.internal/token", false],
  ["https://accounts.google.com", "https://oauth2.googleapis.com/token", true],
  ["https://accounts.google.com", "https://storage.googleapis.com/token", false],
  ["https://accounts.google.com.evil.net", "https://oauth2.googleapis.com/token", false],
];

it.each(cases)("%s has %s: %s", (issuer, endpoint, expected) => {
  expect(isOfIssuer(new URL(issuer), new URL(endpoint), [])).toBe(expected);
});

it("takes what the operator allows, for that issuer alone", () => {
  const pairs = ["one.example=api.other.example:8443"];
  const takes = (issuer: string, endpoint: string) =>
    isOfIssuer(new URL(issuer), new URL(endpoint), pairs);
  expect(takes("https://one.example", "https://api.other.example:8443/token")).toBe(true);
  expect(takes("https://one.example", "https://api.other.example/token")).toBe(false);
  expect(takes("https://two.example", "https://api.other.example:8443/token")).toBe(false);
});
