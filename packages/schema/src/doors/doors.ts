import type { DoorEndpoint } from "../endpoint.ts";
import { agUiDoors } from "./ag-ui.ts";
import { aiSdkDoors } from "./ai-sdk.ts";
import { chatCompletionDoors } from "./chat-completions.ts";
import { durableStreamDoors } from "./durable-streams.ts";
import { openResponsesDoors } from "./open-responses.ts";

/** Every operation in the words of another protocol, by its name. The reference and the routes derive from it. */
export const doors = {
  ...agUiDoors,
  ...aiSdkDoors,
  ...chatCompletionDoors,
  ...durableStreamDoors,
  ...openResponsesDoors,
} as const satisfies Record<string, DoorEndpoint>;

export type Doors = typeof doors;
export type DoorName = keyof Doors;
