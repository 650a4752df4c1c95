import * as core from "@parley/core";
import { endpoints } from "@parley/schema";
import { mutation, query, router } from "./trpc.ts";

/** The implementations of the endpoints of credentials. */
export const accessRouters = {
  apiKeys: router({
    create: mutation(endpoints["apiKeys.create"], core.createApiKey),
    list: query(endpoints["apiKeys.list"], core.listApiKeys),
    revoke: mutation(endpoints["apiKeys.revoke"], core.revokeApiKey),
    rotate: mutation(endpoints["apiKeys.rotate"], core.rotateApiKey),
    update: mutation(endpoints["apiKeys.update"], core.updateApiKey),
  }),
  operatorKeys: router({
    create: mutation(endpoints["operatorKeys.create"], core.createOperatorKey),
    list: query(endpoints["operatorKeys.list"], core.listOperatorKeys),
    revoke: mutation(endpoints["operatorKeys.revoke"], core.revokeOperatorKey),
    rotate: mutation(endpoints["operatorKeys.rotate"], core.rotateOperatorKey),
  }),
  session: router({
    create: mutation(endpoints["session.create"], core.createSession),
    createCode: mutation(endpoints["session.createCode"], core.createSignInCode),
    end: mutation(endpoints["session.end"], core.endSession),
    get: query(endpoints["session.get"], core.getSession),
  }),
  userTokens: router({
    create: mutation(endpoints["userTokens.create"], core.createUserToken),
    revoke: mutation(endpoints["userTokens.revoke"], core.revokeUserTokens),
  }),
};
