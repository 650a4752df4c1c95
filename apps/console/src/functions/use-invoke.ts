import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { trpc } from "../api/clients.ts";
import { useParley } from "../api/use-session.ts";

/** Invokes a function with an input, and opens the invocation. */
export function useInvoke(functionId: string) {
  const parley = useParley();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: trpc.invocations.pathKey(),
    mutationFn: async (input: unknown) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const context = { timezone: timeZone };
      // The page follows the invocation, so this does not wait for it.
      const call = { functionId, input: input as never, context };
      const { invocation } = await parley.functions.invoke(call, { waitSeconds: 0 });
      return invocation;
    },
    onSuccess: async ({ sId: invocationId }) => {
      await navigate({
        to: "/functions/$functionId/invocations/$invocationId",
        params: { functionId, invocationId },
      });
    },
  });
}
