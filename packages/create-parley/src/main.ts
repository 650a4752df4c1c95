#!/usr/bin/env node
import process from "node:process";
import { createProject, UnusableFolder } from "./create-project.ts";

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || others.length > 0) {
  process.stderr.write("Usage: npm create parley <folder>\n");
  process.exit(folder === "--help" || folder === "-h" ? 0 : 2);
}
try {
  await createProject(folder);
} catch (error) {
  if (!(error instanceof UnusableFolder)) throw error;
  process.stderr.write(`create-parley: ${error.message}\n`);
  process.exit(1);
}
process.stdout.write(`Made ${folder}. It needs Node 26 or newer. Next:

  cd ${folder}
  npm install
  npm test      # its function, and its agent on a server of its own
  npm start     # the server, and a page to chat
`);
