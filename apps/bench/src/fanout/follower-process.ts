// A process of its own, so that the processor time of those who follow can be told from the
// server's. It keeps any number of sets of open streams.
import { answerParent } from "../child-requests.ts";
import { type Arrivals, createFollowers, type FollowerPlan, type Followers } from "./followers.ts";

const sets = new Map<string, Followers>();

interface OfSet {
  readonly set: string;
}

function find(set: string): Followers {
  const found = sets.get(set);
  if (found === undefined) throw new Error(`Nobody follows ${set}`);
  return found;
}

const requests = {
  open: async ({ set, ...plan }: OfSet & FollowerPlan): Promise<void> => {
    const followers = createFollowers();
    sets.set(set, followers);
    await followers.open(plan);
  },
  watch: async ({ set, deliveries }: OfSet & { readonly deliveries: number }): Promise<void> =>
    find(set).watch(deliveries),
  arrivals: async ({ set }: OfSet): Promise<Arrivals> => find(set).arrivals(),
  close: async ({ set }: OfSet): Promise<void> => {
    find(set).close();
    sets.delete(set);
  },
};
export type FollowerRequests = typeof requests;

answerParent(requests);
