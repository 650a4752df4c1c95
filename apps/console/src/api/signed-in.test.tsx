import { beforeEach, expect, test } from "vitest";
import { currentPlace, freePlace, rememberSession, signedIn } from "./signed-in.ts";

beforeEach(() => localStorage.clear());

const key = "parley-sessions";

test("a browser remembers whose session it has, and nothing else of it", () => {
  rememberSession({
    workspace: { sId: "wks_1", name: "Demo" },
    role: "admin",
    scopes: null,
    keyName: "demo admin",
    userName: null,
    expiresAt: 0,
  });
  const own = { place: currentPlace, workspace: "Demo", key: "demo admin" };
  expect(signedIn()).toEqual([own]);
  rememberSession(undefined);
  expect(signedIn()).toEqual([]);
});

test("there are at most five sessions, and none takes the place of another", () => {
  const others = [2, 3, 4].map((place) => ({ place, workspace: "W", key: "k" }));
  localStorage.setItem(key, JSON.stringify(others));
  expect(freePlace()).toBe(5);
  localStorage.setItem(key, JSON.stringify([...others, { ...others[0], place: 5 }]));
  expect(freePlace()).toBeUndefined();
});

test.each(["", "{", "{}", "null", '[{"place":9}]', '[{"place":"2"}]', '[{"place":2,"key":1}]'])(
  "what is stored as %s is not believed",
  (stored) => {
    localStorage.setItem(key, stored);
    expect(signedIn()).toEqual([]);
  },
);
