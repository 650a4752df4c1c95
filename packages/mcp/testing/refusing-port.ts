import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** A port of the loopback that refuses connections. */
export interface RefusingPort extends AsyncDisposable {
  readonly port: number;
}

/**
 * Holds a port that refuses connections: the local end of one of its own. A port that was merely closed may be
 * given to another server at once.
 */
export async function holdRefusingPort(): Promise<RefusingPort> {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const holder = connect((listening.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = await Promise.all([once(listening, "connection"), once(holder, "connect")]);
  const { localPort = 0 } = holder;
  return {
    port: localPort,
    [Symbol.asyncDispose]: async () => {
      holder.destroy();
      for (const socket of accepted) (socket as typeof holder).destroy();
      listening.close();
      await once(listening, "close");
    },
  };
}
