import { expect, test } from "vitest";
import { stateOfKey } from "./key-state.ts";

test.for([
  [{ expiresAt: null, revokedAt: null, disabledAt: null }, "active"],
  [{ expiresAt: 101, revokedAt: null }, "active"],
  [{ expiresAt: 100, revokedAt: null, disabledAt: 50 }, "expired"],
  [{ expiresAt: null, revokedAt: null, disabledAt: 50 }, "disabled"],
  [{ expiresAt: 90, revokedAt: 80, disabledAt: 50 }, "revoked"],
] as const)("%o is %s", ([key, state]) => {
  expect(stateOfKey(key, 100)).toBe(state);
});
