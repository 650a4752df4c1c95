import type { Implementations } from "../implementation.ts";
import { exportSkill } from "./export-skill.ts";
import { readSkillState } from "./listing-state.ts";
import {
  approveSkill,
  archiveSkill,
  createSkill,
  deleteSkill,
  getSkill,
  publishSkill,
  restoreSkill,
  updateSkill,
} from "./skill-administration.ts";
import { listSkillVersions } from "./skill-versions.ts";
import { listSkills, readSkill } from "./skills.ts";
import { importSkills } from "./import-skills.ts";

/** The endpoints that are implemented here. */
export const skillImplementations = {
  "skills.approve": approveSkill,
  "skills.archive": archiveSkill,
  "skills.create": createSkill,
  "skills.delete": deleteSkill,
  "skills.export": exportSkill,
  "skills.get": getSkill,
  "skills.list": { read: listSkills, readState: readSkillState },
  "skills.listVersions": listSkillVersions,
  "skills.publish": publishSkill,
  "skills.read": readSkill,
  "skills.restore": restoreSkill,
  "skills.update": updateSkill,
  "skills.import": importSkills,
} satisfies Implementations;
