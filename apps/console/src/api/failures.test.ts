import { ParleyError } from "parley-client";
import { expect, test } from "vitest";
import { describeFailure, isNotFound, isPassing, isSessionOver } from "./failures.ts";

const issues = [{ path: "name", message: "must not be empty" }];

test("describes an error of the REST client", () => {
  const error = new ParleyError("invalid_request_error", "Refused", {
    status: 400,
    requestId: "req-1",
    issues,
  });
  expect(describeFailure(error)).toEqual({
    message: "Refused",
    status: 400,
    requestId: "req-1",
    issues: ["name must not be empty"],
  });
});

test("describes an error of the RPC", () => {
  const data = { httpStatus: 409, request_id: "req-2", issues };
  expect(describeFailure(Object.assign(new Error("Conflict"), { data }))).toEqual({
    message: "Conflict",
    status: 409,
    requestId: "req-2",
    issues: ["name must not be empty"],
  });
});

test("describes an error of the page, and a value that is not an error", () => {
  const nothing = { status: undefined, requestId: undefined, issues: [] };
  expect(describeFailure(new Error("Broken"))).toEqual({ message: "Broken", ...nothing });
  expect(describeFailure("odd")).toEqual({ message: "odd", ...nothing });
});

test("knows the statuses that pages act on", () => {
  const status = (code: number) => Object.assign(new Error("no"), { status: code });
  expect(isSessionOver(status(401))).toBe(true);
  expect(isSessionOver(status(403))).toBe(false);
  expect(isNotFound(Object.assign(new Error("no"), { data: { httpStatus: 404 } }))).toBe(true);
  const unknown = new ParleyError("data_source_view_not_found", "no", { status: 400 });
  expect(isNotFound(unknown)).toBe(true);
  expect(isNotFound(status(400))).toBe(false);
});

const broken = Object.assign(new Error("Load failed"), {
  name: "TRPCClientError",
  cause: new TypeError("Load failed"),
});

test("says that the connection failed in the same words in each browser", () => {
  expect(describeFailure(broken).message).toBe("The connection to the server failed");
});

test.for([
  [broken, true],
  [Object.assign(new Error("Busy"), { data: { httpStatus: 503 } }), true],
  [Object.assign(new Error("Too many"), { data: { httpStatus: 429 } }), true],
  [Object.assign(new Error("Refused"), { data: { httpStatus: 400 } }), false],
  [Object.assign(new Error("Broken"), { data: { httpStatus: 500 } }), false],
  [new TypeError("A fault of the page"), false],
] as const)("a read is repeated after %o: %s", ([error, isRepeated]) => {
  expect(isPassing(error)).toBe(isRepeated);
});
