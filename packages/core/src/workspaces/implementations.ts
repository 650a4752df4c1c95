import type { Implementations } from "../implementation.ts";
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey, updateApiKey } from "./api-keys.ts";
import { listModels, listUsableModels } from "./list-models.ts";
import { addMember, listMemberEmails, listMembers, readLocale, removeMember } from "./members.ts";
import {
  createOperatorKey,
  listOperatorKeys,
  revokeOperatorKey,
  rotateOperatorKey,
} from "./operator-keys.ts";
import {
  listProviderCredentials,
  putProviderCredential,
  removeProviderCredential,
} from "./provider-credentials.ts";
import { createSpace, getSpace, listAllSpaces, listSpaces, updateSpace } from "./spaces.ts";
import { revokeUserTokens } from "./user-tokens.ts";
import { readWorkspaceUsage } from "./workspace-usage.ts";
import {
  confirmWorkspace,
  createWorkspace,
  getWorkspace,
  listFeatureFlags,
  listVerifiedDomains,
  listWorkspaces,
  resumeWorkspace,
  suspendWorkspace,
  updateWorkspace,
} from "./workspaces.ts";

/** The endpoints that are implemented here. */
export const workspaceImplementations = {
  "apiKeys.create": createApiKey,
  "apiKeys.list": listApiKeys,
  "apiKeys.revoke": revokeApiKey,
  "apiKeys.rotate": rotateApiKey,
  "apiKeys.update": updateApiKey,
  "featureFlags.list": listFeatureFlags,
  "members.add": addMember,
  "members.list": listMembers,
  "members.listEmails": listMemberEmails,
  "members.readLocale": readLocale,
  "members.remove": removeMember,
  "models.list": listModels,
  "models.listUsable": listUsableModels,
  "operatorKeys.create": createOperatorKey,
  "operatorKeys.list": listOperatorKeys,
  "operatorKeys.revoke": revokeOperatorKey,
  "operatorKeys.rotate": rotateOperatorKey,
  "providerCredentials.list": listProviderCredentials,
  "providerCredentials.put": putProviderCredential,
  "providerCredentials.remove": removeProviderCredential,
  "spaces.create": createSpace,
  "spaces.get": getSpace,
  "spaces.list": listSpaces,
  "spaces.listAll": listAllSpaces,
  "spaces.update": updateSpace,
  "userTokens.revoke": revokeUserTokens,
  "verifiedDomains.list": listVerifiedDomains,
  "workspaces.create": createWorkspace,
  "workspaces.exists": confirmWorkspace,
  "workspaces.get": getWorkspace,
  "workspaces.list": listWorkspaces,
  "workspaces.resume": resumeWorkspace,
  "workspaces.suspend": suspendWorkspace,
  "workspaces.update": updateWorkspace,
  "workspaces.usage": readWorkspaceUsage,
} satisfies Implementations;
