import type { Process } from "../context.ts";
import { countActivity } from "./count-activity.ts";
import type { LocalStreams } from "./local-streams.ts";
import { untilSample } from "./minutes.ts";
import { sampleLoad } from "./sample-load.ts";

/** Writes once a minute; `close` waits for what is being written. */
export interface ActivityRecorder {
  close(): Promise<void>;
}

/** Writes the load, and counts what happened, in the middle of each minute. */
export function startActivityRecorder(
  core: Process & { readonly localStreams: LocalStreams },
  onError: (error: unknown) => void,
): ActivityRecorder {
  let timer: NodeJS.Timeout;
  let closed = false;
  let writing = Promise.resolve();
  const record = async (): Promise<void> => {
    try {
      await sampleLoad(core);
      await countActivity(core);
    } catch (error) {
      onError(error);
    }
  };
  const schedule = (): void => {
    if (closed) return;
    timer = setTimeout(() => {
      writing = record().then(schedule);
    }, untilSample(core.now())).unref();
  };
  schedule();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await writing;
    },
  };
}
