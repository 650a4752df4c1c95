import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { CurlCommand } from "../api/curl-command.tsx";
import { useClients } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

type Member = Output<"members.list">["members"][number];

/** The members of the workspace. */
export function MembersPage() {
  const { rpc, workspaceId: wId } = useClients();
  const { after } = useSearch({ from: "/session/members" });
  const queryClient = useQueryClient();
  const say = useToast();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const { data, error, refetch } = useQuery({
    queryKey: ["members", wId, after],
    queryFn: ({ signal }) =>
      rpc.members.list.query(
        { wId, limit: 50, ...(after !== undefined && { lastValue: after }) },
        { signal },
      ),
  });
  const reload = async () => queryClient.invalidateQueries({ queryKey: ["members"] });
  const addButton = (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add a member
    </Button>
  );
  return (
    <Page title="Members" actions={addButton}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="the members" />}
      {data?.members.length === 0 && (
        <EmptyState title="There are no members yet">
          <p className="text-muted">
            A member is the author of the messages that come with the member’s e-mail address, and
            the user of tokens. Applications add members too, with the first token of a user, or so:
          </p>
          <CurlCommand
            path={`/api/admin/workspaces/${wId}/members`}
            body={{ email: "ada@example.com", firstName: "Ada" }}
          />
        </EmptyState>
      )}
      {data && data.members.length > 0 && (
        <Table label="Members" columns={["Name", "E-mail", "User name", "Added", "Actions"]}>
          {data.members.map((member) => (
            <TableRow
              key={member.sId}
              cells={[
                <span>
                  <span className="font-medium">{member.fullName}</span>
                  <code className="block font-mono text-sm whitespace-nowrap text-muted">
                    {member.sId}
                  </code>
                </span>,
                member.email === "" ? <span className="text-muted">none</span> : member.email,
                member.username,
                <Time at={member.createdAt} />,
                <Button isSmall onClick={() => setRemoved(member)}>
                  Remove<span className="sr-only"> {member.fullName}</span>
                </Button>,
              ]}
            />
          ))}
        </Table>
      )}
      {data && <Pager after={after} next={data.hasMore ? data.lastValue : null} />}
      {isAdding && (
        <AddMember
          onClose={() => setAdding(false)}
          onAdd={(name) => {
            setAdding(false);
            say(`${name} is a member`);
            void reload();
          }}
        />
      )}
      {removed && (
        <ConfirmDialog
          title="Remove the member"
          description={`The tokens of ${removed.fullName} are refused within seconds. Conversations stay.`}
          word={removed.email === "" ? removed.username : removed.email}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await rpc.members.remove.mutate({ wId, memberId: removed.sId });
            say(`${removed.fullName} is no longer a member`);
            await reload();
          }}
        />
      )}
    </Page>
  );
}

interface AddMemberProps {
  readonly onAdd: (name: string) => void;
  readonly onClose: () => void;
}

function AddMember({ onAdd, onClose }: AddMemberProps) {
  const { rpc, workspaceId: wId } = useClients();
  const adding = useMutation({
    mutationFn: async (form: FormData) => {
      const given = (name: string) => String(form.get(name)).trim();
      return rpc.members.add.mutate({
        wId,
        email: given("email"),
        firstName: given("firstName"),
        ...(given("lastName") !== "" && { lastName: given("lastName") }),
        ...(given("username") !== "" && { username: given("username") }),
      });
    },
    onSuccess: ({ member }) => onAdd(member.fullName),
  });
  return (
    <FormDialog
      title="Add a member"
      submit="Add"
      action={adding}
      onSubmit={(form) => adding.mutate(form)}
      onClose={onClose}
    >
      <TextField label="E-mail" name="email" type="email" required autoComplete="off" />
      <TextField label="First name" name="firstName" required autoComplete="off" />
      <TextField label="Last name" name="lastName" autoComplete="off" />
      <TextField
        label="User name"
        name="username"
        autoComplete="off"
        hint="The part of the address before the @, unless there is another one."
      />
    </FormDialog>
  );
}
