#!/usr/bin/env node
import process from "node:process";

// The command's first file: Node versions that are too old for the others must be able to run it.

const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 26) {
  process.stderr.write(
    `parley: needs Node 26 or newer, but this is ${process.versions.node}: install it from https://nodejs.org\n`,
  );
  process.exit(1);
}
await import("./main.ts");
