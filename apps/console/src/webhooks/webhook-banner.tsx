import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";
import { reasons } from "./states.ts";

/** How long the webhooks are not read again. */
const FRESH_MS = 60_000;

/** Says to admins that the server has switched webhooks off. */
export function WebhookBanner() {
  const session = useSession();
  const wId = session.workspace?.sId ?? "";
  const isShown = session.workspace !== null && hasRole(session, "admin");
  const { data } = useQuery({
    ...trpc.webhooks.list.queryOptions({ wId }),
    enabled: isShown,
    staleTime: FRESH_MS,
  });
  const off = data?.webhooks.flatMap(({ url, disabledFor }) =>
    disabledFor === null || disabledFor === "request" ? [] : [{ url, disabledFor }],
  );
  const [first] = off ?? [];
  if (!isShown || off === undefined || first === undefined) return null;
  const what =
    off.length === 1
      ? `The webhook ${first.url} was switched off: ${reasons[first.disabledFor]}.`
      : `${off.length} webhooks were switched off by the server.`;
  return (
    <p role="status" className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn">
      {what}{" "}
      <Link to="/webhooks" className="font-medium underline">
        Show webhooks
      </Link>
    </p>
  );
}
