import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useSession } from "../api/use-session.ts";

/** How long what is spent is not read again. */
const FRESH_MS = 60_000;

/** Says to builders that budgets of the workspace are used up. */
export function BudgetBanner() {
  const session = useSession();
  const wId = session.workspace?.sId ?? "";
  const isShown = session.workspace !== null && hasRole(session, "builder");
  const { data } = useQuery({
    ...trpc.budgets.list.queryOptions({ wId }),
    enabled: isShown,
    staleTime: FRESH_MS,
  });
  // Those of a minute are over before anybody reads it.
  const usedUp =
    data?.budgets.filter((budget) => budget.usedUp > 0 && budget.period !== "minute") ?? [];
  const [first] = usedUp;
  if (!isShown || first === undefined) return null;
  const isHard = usedUp.some((budget) => budget.isHard && budget.measure === "money");
  const what = usedUp.length === 1 ? `The budget ${first.name} is` : `${usedUp.length} budgets are`;
  return (
    <p role="status" className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn">
      {what} used up{isHard ? ": answers end until the period does." : "."}{" "}
      <Link to="/budgets" className="font-medium underline">
        Show budgets
      </Link>
    </p>
  );
}
