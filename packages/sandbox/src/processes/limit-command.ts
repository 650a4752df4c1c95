/** What the kernel holds each process to, beside the watch. */
export interface HardLimits {
  /** Processor time in seconds. */
  readonly cpuS: number;
  /** Space of addresses. */
  readonly addressBytes?: number | undefined;
  /** Size of each file that is written. */
  readonly fileBytes?: number | undefined;
}

/** A command with limits that hold whoever watches or not, set by a shell that becomes it; Linux only. */
export function limitCommand(
  { cpuS, addressBytes, fileBytes }: HardLimits,
  [command = "", ...given]: readonly string[],
): { command: string; arguments: readonly string[] } {
  if (process.platform !== "linux") return { command, arguments: given };
  const limits = [
    "ulimit -c 0",
    `ulimit -t ${cpuS}`,
    ...(addressBytes === undefined ? [] : [`ulimit -v ${Math.ceil(addressBytes / 1024)}`]),
    // In blocks of 512 bytes.
    ...(fileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(fileBytes / 512)}`]),
  ];
  const script = `${limits.join("; ")}; exec "$0" "$@"`;
  return { command: "/bin/sh", arguments: ["-c", script, command, ...given] };
}
