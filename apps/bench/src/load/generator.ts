// A process of its own, so that its processor time can be told from the server's. It does one
// plan after the other, and ends with the process that started it.
import { runClosedLoop } from "./closed-loop.ts";
import type { LoadMessage, LoadPlan } from "./plan.ts";

function tell(message: LoadMessage): void {
  process.send?.(message);
}

async function run(plan: LoadPlan): Promise<void> {
  try {
    const result = await runClosedLoop(plan, (state) => tell({ type: `window ${state}` }));
    tell({ type: "finished", result });
  } catch (error) {
    tell({ type: "failed", message: (error as Error).message });
  }
}

process.on("message", (plan: LoadPlan) => void run(plan));
process.on("disconnect", () => process.exit(0));
