import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import {
  EraseMemories,
  ErasedMemories,
  ListMemories,
  ListMemoryProposals,
  MemoryIdentity,
  MemoryPage,
  MemoryProposalPage,
  MemoryResult,
  OneMemory,
  ProposalIdentity,
  RunMemoryCommand,
  UpdateMemory,
  VersionedMemory,
} from "./memories.ts";

const place = `${administered}/memories` as const;
const ofMemory = {
  subject: ["memoryId"],
  scope: "conversations:write",
  errors: ["workspace_not_found", "memory_not_found", "version_conflict"],
} as const;
const ofProposal = {
  subject: ["proposalId"],
  errors: ["workspace_not_found", "memory_proposal_not_found", "version_conflict"],
} as const;

/** Operations on what agents remember: users reach their own, builders what agents and spaces have too. */
export const memoryEndpoints = {
  "memories.list": {
    ...administer({ role: "user", method: "GET", path: place, input: ListMemories }),
    scope: "conversations:read",
    summary: "List the files that agents remember",
    output: MemoryPage,
  },
  "memories.erase": {
    ...administer({ role: "user", method: "DELETE", path: place, input: EraseMemories }),
    scope: "conversations:write",
    // Whose files have gone.
    subject: [],
    summary: "Erase all that agents remember of a user, for an agent or in a space",
    errors: ["workspace_not_found", "member_not_found", "agent_not_found", "space_not_found"],
    output: ErasedMemories,
  },
  "memories.run": {
    ...administer({
      role: "user",
      method: "POST",
      path: `${place}/commands`,
      input: RunMemoryCommand,
    }),
    scope: "conversations:write",
    // Paths are the business of those whose memory it is.
    subject: ["command"],
    summary: "View or change a memory by a command of the tool memory",
    // Room is taken for what grows, when that is known.
    storesLittle: true,
    errors: ["workspace_not_found", "agent_not_found", "space_not_found", "budget_exceeded"],
    output: MemoryResult,
  },
  "memories.listProposals": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/proposals`,
      input: ListMemoryProposals,
    }),
    summary: "List changes of shared memories that wait for approval",
    output: MemoryProposalPage,
  },
  "memories.approve": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/proposals/{proposalId}/approve`,
      input: ProposalIdentity,
    }),
    ...ofProposal,
    summary: "Approve a change of a shared memory",
    output: Success,
  },
  "memories.reject": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/proposals/{proposalId}/reject`,
      input: ProposalIdentity,
    }),
    ...ofProposal,
    errors: ["workspace_not_found", "memory_proposal_not_found"],
    storesLittle: true,
    summary: "Reject a change of a shared memory",
    output: Success,
  },
  "memories.get": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${place}/{memoryId}`,
      input: MemoryIdentity,
    }),
    scope: "conversations:read",
    errors: ["workspace_not_found", "memory_not_found"],
    summary: "Read a file that agents remember, with its versions",
    output: OneMemory,
  },
  "memories.update": {
    ...administer({
      role: "user",
      method: "PATCH",
      path: `${place}/{memoryId}`,
      input: UpdateMemory,
    }),
    ...ofMemory,
    // Room is taken for what grows, as for commands.
    storesLittle: true,
    errors: [...ofMemory.errors, "budget_exceeded"],
    summary: "Change the text of a file that agents remember",
    output: OneMemory,
  },
  "memories.remove": {
    ...administer({
      role: "user",
      method: "DELETE",
      path: `${place}/{memoryId}`,
      input: VersionedMemory,
    }),
    ...ofMemory,
    summary: "Erase a file that agents remember, with its versions",
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
