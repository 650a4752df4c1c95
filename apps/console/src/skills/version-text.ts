import type { Output } from "parley-client";
import { availabilities } from "./availability.ts";

/** One version of a skill. */
export type SkillVersion = Output<"skills.listVersions">["versions"][number];

/** A version as one text, to read and to compare. */
export function textOfVersion(version: SkillVersion): string {
  const { name, status, availability, agentFacingDescription, userFacingDescription } = version;
  const { icon, fileAttachments, tools, manuallyRequestedSpaceIds: spaces } = version;
  const lines = [
    `Name: ${name}`,
    `State: ${status}`,
    `Availability: ${availabilities[availability].toLowerCase()}`,
    `Description for agents: ${agentFacingDescription}`,
    `Description for people: ${userFacingDescription}`,
    ...(icon === null ? [] : [`Icon: ${icon}`]),
    ...spaces.map((id) => `Space: ${id}`),
    ...tools.map((tool) => `Tool: ${tool.name} (${tool.sId})`),
    ...fileAttachments.map((file) => `File: ${file.fileName} (${file.fileId})`),
    "",
    version.instructions ?? "",
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
