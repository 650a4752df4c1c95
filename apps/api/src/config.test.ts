import { describe, expect, it } from "vitest";
import { ApiSettings } from "./config.ts";

const issues = (settings: Record<string, string>) =>
  ApiSettings.safeParse(settings).error?.issues.map(({ message }) => message);

describe("PARLEY_CORS_ORIGINS", () => {
  it.each([
    [undefined, []],
    ["", []],
    [" , ", []],
    ["*", ["*"]],
    ["https://a.example", ["https://a.example"]],
    ["https://a.example, http://localhost:5173", ["https://a.example", "http://localhost:5173"]],
  ])("reads %j", (text, origins) => {
    const settings = ApiSettings.parse(text === undefined ? {} : { PARLEY_CORS_ORIGINS: text });
    expect(settings.PARLEY_CORS_ORIGINS).toEqual(origins);
  });

  it.each([
    "a.example",
    "https://a.example/",
    "https://a.example/path",
    "https://*.a.example/",
    "HTTPS://A.example",
    "https://a.example:443",
    "https://u:p@a.example",
    "file:///tmp",
    "null",
  ])("refuses %s and says what would be right", (text) => {
    expect(issues({ PARLEY_CORS_ORIGINS: `https://b.example,${text}` })).toEqual([
      `${text} must be an origin, such as https://app.example.com`,
    ]);
  });
});

describe("PARLEY_TRUSTED_PROXIES", () => {
  it.each([
    ["10.0.0.1", ["10.0.0.1"]],
    ["10.0.0.0/8,::1", ["10.0.0.0/8", "::1"]],
    ["2001:db8::/32", ["2001:db8::/32"]],
  ])("reads %j", (text, ranges) => {
    expect(ApiSettings.parse({ PARLEY_TRUSTED_PROXIES: text }).PARLEY_TRUSTED_PROXIES).toEqual(
      ranges,
    );
  });

  it.each(["proxy", "10.0.0", "10.0.0.0/33", "10.0.0.0/0", "::/0", "::1/129", "1", "true"])(
    "refuses %s and says what would be right",
    (text) => {
      expect(issues({ PARLEY_TRUSTED_PROXIES: text })).toEqual([
        `${text} must be an address or a range, such as 10.0.0.0/8`,
      ]);
    },
  );
});
