import type { EndpointName } from "@parley/schema";
import type { Things } from "./closed-space.ts";

type Inputs = (things: Things) => readonly object[];

const ofWebSource =
  (more: object = {}): Inputs =>
  ({ webSourceId }) => [{ webSourceId, ...more }];

/** Every way in which calls about web sources name something of a space. */
export const webSourceCalls: Partial<Record<EndpointName, Inputs>> = {
  "webSources.create": ({ dataSourceViewId }) => [
    { dataSourceViewId, url: "http://127.0.0.1:9/POISONED", kind: "page" },
  ],
  "webSources.list": ({ dataSourceViewId }) => [{ dataSourceViewId }],
  "webSources.get": ofWebSource(),
  "webSources.listPages": ofWebSource(),
  "webSources.update": ofWebSource({ version: 0, tags: ["POISONED"] }),
  "webSources.refresh": ofWebSource(),
  "webSources.cancel": ofWebSource(),
  "webSources.remove": ofWebSource({ version: 0 }),
};
