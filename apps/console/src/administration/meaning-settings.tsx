import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

type Status = Output<"knowledge.status">;

const services = {
  openai: "OpenAI",
  mistral: "Mistral",
  fireworks: "Fireworks",
  openai_compatible: "Your own server",
} as const;
type Service = keyof typeof services;
const isService = (value: string): value is Service => Object.hasOwn(services, value);

/** How often the progress is read while vectors are made. */
const REFRESH_MS = 3000;

/** The model that makes vectors of documents, which admins choose, and how far they are. */
export function MeaningSettings() {
  const wId = useWorkspaceId();
  const status = useQuery({
    ...trpc.knowledge.status.queryOptions({ wId }),
    refetchInterval: ({ state }) => {
      const embedding = state.data?.embedding;
      return embedding && embedding.state !== "complete" ? REFRESH_MS : false;
    },
  });
  return (
    <Section title="Search of documents">
      <p className="text-muted">
        Documents are found by their words. With a model that makes vectors, they are found by what
        they mean, too.
      </p>
      <Loaded query={status} label="the search of documents">
        {(read) => (
          <div className="grid gap-4">
            <Progress {...read} />
            <ModelForm key={JSON.stringify(read.embedding?.modelId)} embedding={read.embedding} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

const ways = {
  word: "By words",
  "re-ranked": "By words, in the order of their meaning",
  exact: "By words and meaning",
  hnsw: "By words and meaning, with an index",
} as const;

function Progress({ mode, embedding, parts, embeddedParts }: Status) {
  return (
    <div className="grid gap-1" role="status">
      <p>
        {ways[mode]} <Badge>{mode}</Badge>
      </p>
      {embedding !== null && (
        <p>
          {embeddedParts} of {parts} parts have a vector{" "}
          <Badge tone={embedding.problem === null ? "neutral" : "warn"}>{embedding.state}</Badge>
        </p>
      )}
      {embedding?.isReplacing === true && (
        <p className="text-muted">Until all have one, the vectors of the model before are used.</p>
      )}
      {embedding !== null && embedding.problem !== null && (
        <p className="text-bad">
          {embedding.problem}
          {embedding.retryAt !== null && (
            <>
              {"; it continues "}
              <Time at={embedding.retryAt} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

function ModelForm({ embedding }: Pick<Status, "embedding">) {
  const wId = useWorkspaceId();
  const queryClient = useQueryClient();
  const say = useToast();
  const saving = useMutation(
    trpc.workspaces.update.mutationOptions({
      onSuccess: async () => {
        say("Search of documents saved");
        await queryClient.invalidateQueries();
      },
    }),
  );
  return (
    <form
      className="grid max-w-md gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const providerId = String(form.get("providerId"));
        const dimensions = Number(form.get("dimensions")) || null;
        const modelId = String(form.get("modelId"));
        const chosen = isService(providerId) ? { providerId, modelId, dimensions } : null;
        saving.mutate({ wId, embedding: chosen });
      }}
    >
      <SelectField
        label="Service of vectors"
        name="providerId"
        defaultValue={embedding?.providerId ?? ""}
      >
        <option value="">None: by words only</option>
        {Object.entries(services).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Model of vectors"
        name="modelId"
        maxLength={255}
        autoComplete="off"
        defaultValue={embedding?.modelId ?? ""}
        hint="As the service names it, such as text-embedding-3-small"
      />
      <TextField
        label="Dimensions"
        name="dimensions"
        inputMode="numeric"
        pattern="[0-9]*"
        autoComplete="off"
        defaultValue={embedding?.askedDimensions ?? ""}
        hint="As many as the model gives, unless you ask for fewer"
      />
      {saving.error && <ErrorNotice error={saving.error} />}
      <Button
        type="submit"
        variant="primary"
        isBusy={saving.isPending}
        className="justify-self-start"
      >
        Save search
      </Button>
    </form>
  );
}
