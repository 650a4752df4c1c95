import type { Implementations } from "../implementation.ts";
import { eraseMemories } from "./erase-memories.ts";
import {
  getMemory,
  listMemories,
  removeMemory,
  runMemoryCommand,
  updateMemory,
} from "./memories.ts";
import { approveProposal, listProposals, rejectProposal } from "./proposals.ts";

/** The endpoints that are implemented here. */
export const memoryImplementations = {
  "memories.approve": approveProposal,
  "memories.erase": eraseMemories,
  "memories.get": getMemory,
  "memories.list": listMemories,
  "memories.listProposals": listProposals,
  "memories.reject": rejectProposal,
  "memories.remove": removeMemory,
  "memories.run": runMemoryCommand,
  "memories.update": updateMemory,
} satisfies Implementations;
