import type { Io } from "@parley/command/io";
import { oneLine, shorten } from "@parley/command/print";
import { bold, dim } from "@parley/command/style";
import type { NamedAgent } from "../find-agent.ts";

/** An agent in a line. */
export function describeAgent(io: Io, { name, description }: NamedAgent): string {
  const about = shorten(description);
  return `${bold(io, oneLine(name))}${about === "" ? "" : dim(io, `: ${about}`)}`;
}
