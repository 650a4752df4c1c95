import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import {
  CreatedOperatorKey,
  CreateOperatorKey,
  ListOperatorKeys,
  OperatorKeyPage,
  RevokeOperatorKey,
  RotatedOperatorKey,
  RotateOperatorKey,
} from "../workspaces/operator-keys.ts";
import { administer } from "./defaults.ts";

const root = "/api/admin/operator-keys";

/** Operations on the keys of operators, which are the server's. */
export const operatorKeyEndpoints = {
  "operatorKeys.create": {
    ...administer({ role: "operator", method: "POST", path: root, input: CreateOperatorKey }),
    summary: "Create an operator key",
    subject: [],
    output: CreatedOperatorKey,
    errors: [],
  },
  "operatorKeys.list": {
    ...administer({ role: "operator", method: "GET", path: root, input: ListOperatorKeys }),
    summary: "List the operator keys, the newest first",
    output: OperatorKeyPage,
    errors: [],
  },
  "operatorKeys.rotate": {
    ...administer({
      role: "operator",
      method: "POST",
      path: `${root}/{keyId}/rotate`,
      input: RotateOperatorKey,
    }),
    summary: "Give an operator key a new secret",
    subject: ["keyId"],
    output: RotatedOperatorKey,
    errors: ["api_key_not_found"],
  },
  "operatorKeys.revoke": {
    ...administer({
      role: "operator",
      method: "DELETE",
      path: `${root}/{keyId}`,
      input: RevokeOperatorKey,
    }),
    summary: "Revoke an operator key for good",
    subject: ["keyId"],
    output: Success,
    errors: ["api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
