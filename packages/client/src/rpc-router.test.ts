import type { AppRouter } from "@parley/rpc";
import type { inferRouterError, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expect, test } from "vitest";
import type { RpcRouter } from "./rpc-router.ts";

type Described<R extends AppRouter | RpcRouter> = {
  inputs: inferRouterInputs<R>;
  outputs: inferRouterOutputs<R>;
};

test("the router that the client describes is the server's", () => {
  // The compiler checks it: each is taken for the other.
  const toServer = (client: Described<RpcRouter>): Described<AppRouter> => client;
  const toClient = (server: Described<AppRouter>): Described<RpcRouter> => server;
  const toClientError = (error: inferRouterError<AppRouter>): inferRouterError<RpcRouter> => error;
  expect([toServer, toClient, toClientError]).toHaveLength(3);
});
