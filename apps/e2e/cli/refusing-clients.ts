import { type Connect, connectClients } from "parley-server";

/** What a command says last of a refused call, if `callServer` has explained it. */
export const REFUSED = /^parley: .*Refused by the test \[request r-1\]/;

/** Of a type that no command knows more about. */
const refusal = () =>
  Object.assign(new Error("Refused by the test"), {
    type: "internal_server_error",
    requestId: "r-1",
  });

/** Makes clients of which the call of a number, from 1, is refused; `calls` counts those that were made. */
export function refuseCall(number: number): { connect: Connect; readonly calls: number } {
  let calls = 0;
  const answer = (name: string, call: () => unknown): unknown => {
    calls += 1;
    if (calls !== number) return call();
    return name === "follow" ? refuseEvents() : Promise.reject(refusal());
  };
  const watch = <T extends object>(client: T): T => watchCalls(client, answer);
  return {
    get calls() {
      return calls;
    },
    connect: (server) => {
      const { rpc, openParley } = connectClients(server);
      return { rpc: watch(rpc), openParley: (...given) => watch(openParley(...given)) };
    },
  };
}

const refuseEvents = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => Promise.reject(refusal()) }),
});

/** A client whose functions, at whatever depth, are called by `answer`. */
function watchCalls<T extends object>(
  client: T,
  answer: (name: string, call: () => unknown) => unknown,
): T {
  return new Proxy(client, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      const isClient = typeof member === "function" || typeof member === "object";
      if (!isClient || member === null || typeof name === "symbol") return member;
      const inner = watchCalls(member, answer);
      if (typeof member !== "function") return inner;
      return new Proxy(inner, {
        apply: (_inner, _this, given: unknown[]) =>
          answer(name, () => Reflect.apply(member, target, given)),
      });
    },
  });
}
