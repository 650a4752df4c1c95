import { createFairPlaces } from "@parley/fair-queue";

/** Large subjects that are read at once: each takes a connection, and its JSON the event loop. */
const MAX_READ_AT_ONCE = 4;

/** Places of this process for the subjects of runs that are too large to come with a claim. */
export const largeSubjects = createFairPlaces(MAX_READ_AT_ONCE);
