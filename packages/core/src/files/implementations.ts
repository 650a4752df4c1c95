import type { Implementations } from "../implementation.ts";
import { announceFile, deleteFile, openFile, replayAnnouncement } from "./files.ts";
import { openByPath, openGeneratedFile } from "./generated-files.ts";
import { listFiles } from "./list-files.ts";
import { uploadFile } from "./uploads.ts";

/** The endpoints that are implemented here. */
export const fileImplementations = {
  "files.create": { make: announceFile, replay: replayAnnouncement },
  "files.delete": deleteFile,
  "files.get": openFile,
  "files.getByPath": openByPath,
  "files.getGenerated": openGeneratedFile,
  "files.list": listFiles,
  "files.upload": uploadFile,
} satisfies Implementations;
