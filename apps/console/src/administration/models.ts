import type { Input, Output } from "parley-client";

type ListedModel = Output<"models.list">["models"][number];
type Pair = Pick<ListedModel, "providerId" | "modelId">;

/** A model as commands name it. */
export const keyOf = ({ providerId, modelId }: Pair): string => `${providerId}/${modelId}`;

/** The credential that a model is called with; the workspace's takes precedence. */
export function credentialOf(
  model: Pick<
    ListedModel,
    "needsCredential" | "hasWorkspaceCredential" | "hasDeploymentCredential"
  >,
): string {
  if (!model.needsCredential) return "not needed";
  if (model.hasWorkspaceCredential) return "workspace";
  return model.hasDeploymentCredential ? "server" : "none";
}

/** The change that enables or disables a model and leaves the others as they are. */
export function changeOfModel({
  providerId,
  modelId,
  isEnabled,
}: Pair & Pick<ListedModel, "isEnabled">): Omit<Input<"workspaces.update">, "wId"> {
  const models = [{ providerId, modelId }];
  return isEnabled ? { disableModels: models } : { enableModels: models };
}
