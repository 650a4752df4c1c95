import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useClients } from "../api/use-session.ts";

/** Invokes a function with an input, and shows the invocation. */
export function useInvoke(functionId: string) {
  const { parley } = useClients();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: unknown) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const context = { timezone: timeZone };
      // The page follows the invocation: nothing is to be waited for here.
      const call = { functionId, input: input as never, context };
      const { invocation } = await parley.functions.invoke(call, { waitSeconds: 0 });
      return invocation;
    },
    onSuccess: async ({ sId: invocationId }) => {
      void queryClient.invalidateQueries({ queryKey: ["invocations"] });
      await navigate({
        to: "/functions/$functionId/invocations/$invocationId",
        params: { functionId, invocationId },
      });
    },
  });
}
