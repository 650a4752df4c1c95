import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";

/** How often open alerts are looked for. */
const REFRESH_MS = 60_000;

/** Says to builders that alerts are open. */
export function AlertBanner() {
  const session = useSession();
  const wId = session.workspace?.sId ?? "";
  const isShown = session.workspace !== null && hasRole(session, "builder");
  const { data } = useQuery({
    ...trpc.alerts.list.queryOptions({ wId }),
    enabled: isShown,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });
  const open = data?.alerts.filter(({ openSince }) => openSince !== null) ?? [];
  const [first] = open;
  if (!isShown || first === undefined) return null;
  const what = open.length === 1 ? `Alert: ${first.name}.` : `${open.length} alerts are open.`;
  return (
    <p role="status" className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn">
      {what}{" "}
      <Link to="/alerts" className="font-medium underline">
        Show alerts
      </Link>
    </p>
  );
}
