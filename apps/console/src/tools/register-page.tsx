import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";
import { useToast } from "../ui/toast.tsx";
import { AuthFields } from "./auth-fields.tsx";
import { LimitFields, readLimits } from "./limit-fields.tsx";
import { type AuthKind, readAuth } from "./read-auth.ts";

/** Registers a remote MCP server, which is asked for its tools at once. */
export function RegisterToolPage() {
  const wId = useWorkspaceId();
  const navigate = useNavigate();
  const say = useToast();
  const [kind, setKind] = useState<AuthKind>();
  const { data, error: spacesError } = useQuery(trpc.spaces.list.queryOptions({ wId }));
  const spaces = data?.spaces;
  const registering = useMutation({
    mutationKey: trpc.tools.pathKey(),
    mutationFn: async (form: FormData) => {
      const given = (name: string) => String(form.get(name) ?? "").trim();
      const name = given("name");
      const description = given("description");
      return rpc.tools.register.mutate({
        wId,
        spaceId: given("spaceId"),
        url: given("url"),
        ...(name !== "" && { name }),
        ...(description !== "" && { description }),
        isRestrictedToSkills: form.get("isRestrictedToSkills") !== null,
        ...readLimits(form),
        ...readAuth(form, kind ?? "none"),
      });
    },
    onSuccess: async ({ tool }) => {
      say(`${tool.name} registered`);
      await navigate({ to: "/tools/$toolId", params: { toolId: tool.sId } });
    },
  });
  return (
    <Page title="Register server">
      {spacesError && <ErrorNotice title="The spaces could not be loaded" error={spacesError} />}
      <form
        className="grid max-w-2xl gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          registering.mutate(new FormData(event.currentTarget));
        }}
      >
        <TextField
          label="URL"
          name="url"
          type="url"
          required
          placeholder="https://tools.example.com/mcp"
          hint="The Streamable HTTP endpoint of the MCP server. Private addresses need PARLEY_PRIVATE_HOSTS."
        />
        <SelectField
          label="Space"
          name="spaceId"
          required
          hint={spaces?.length === 0 ? "No spaces yet. Ask an admin to create one." : undefined}
        >
          {spaces?.map(({ sId, name }) => (
            <option key={sId} value={sId}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Name"
          name="name"
          maxLength={255}
          autoComplete="off"
          hint="Defaults to the server’s name."
        />
        <TextArea
          label="Description"
          name="description"
          rows={2}
          maxLength={4096}
          hint="Defaults to the server’s description."
        />
        <AuthFields kind={kind ?? "none"} onChange={setKind} />
        <LimitFields />
        <CheckField label="Only for skills" name="isRestrictedToSkills" />
        {registering.isError && (
          <ErrorNotice title="The server was not registered" error={registering.error} />
        )}
        <Button
          type="submit"
          variant="primary"
          className="justify-self-start"
          isBusy={registering.isPending}
        >
          Register
        </Button>
      </form>
    </Page>
  );
}
