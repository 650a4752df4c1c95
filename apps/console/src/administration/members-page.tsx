import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CurlCommand, EmptyState } from "../ui/empty-state.tsx";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { ListPage } from "../ui/list.tsx";
import { NameAndId } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useToast } from "../ui/toast.tsx";

type Member = Output<"members.list">["members"][number];

/** The members of the workspace. */
export function MembersPage() {
  const wId = useWorkspaceId();
  const { after } = useSearch({ from: "/session/members" });
  const say = useToast();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const [forgotten, setForgotten] = useState<Member>();
  const list = useQuery(trpc.members.list.queryOptions({ wId, limit: 50, lastValue: after }));
  return (
    <ListPage
      name="Members"
      query={list}
      rowsOf={({ members }) => members}
      keyOf={({ sId }) => sId}
      after={after}
      actions={
        <Button variant="primary" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add member
        </Button>
      }
      least={["Username", "Added"]}
      columns={{
        Name: ({ fullName, sId }) => <NameAndId name={fullName} sId={sId} />,
        "E-mail": ({ email }) => (email === "" ? <span className="text-muted">none</span> : email),
        Username: ({ username }) => username,
        Added: ({ createdAt }) => <Time at={createdAt} />,
        Actions: (member) => (
          <span className="flex gap-2">
            <Button isSmall of={member.fullName} onClick={() => setForgotten(member)}>
              Erase memories
            </Button>
            <Button isSmall of={member.fullName} onClick={() => setRemoved(member)}>
              Remove
            </Button>
          </span>
        ),
      }}
      empty={
        <EmptyState title="No members yet">
          <p className="text-muted">
            A member is the author of messages sent with their e-mail address, and the owner of
            their user tokens. The first token for a user adds a member, and so does this request:
          </p>
          <CurlCommand
            path={`/api/admin/workspaces/${wId}/members`}
            body={{ email: "ada@example.com", firstName: "Ada" }}
          />
        </EmptyState>
      }
    >
      {isAdding && (
        <AddMember
          onClose={() => setAdding(false)}
          onAdd={(name) => {
            setAdding(false);
            say(`${name} added`);
          }}
        />
      )}
      {removed && (
        <ConfirmDialog
          title="Remove member"
          description={`${removed.fullName}’s tokens stop working within seconds. Conversations are kept.`}
          word={wordOf(removed)}
          changes={trpc.members.pathKey()}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await rpc.members.remove.mutate({ wId, memberId: removed.sId });
            say(`${removed.fullName} removed`);
          }}
        />
      )}
      {forgotten && (
        <ConfirmDialog
          title="Erase memories"
          description={`All that agents remember of ${forgotten.fullName} is erased, with its versions.`}
          word={wordOf(forgotten)}
          onClose={() => setForgotten(undefined)}
          onConfirm={async () => {
            const { erased } = await rpc.memories.erase.mutate({ wId, userId: forgotten.sId });
            say(`Memories of ${forgotten.fullName} erased: ${erased}`);
          }}
        />
      )}
    </ListPage>
  );
}

/** What is typed to confirm what is done to a member. */
const wordOf = ({ email, username }: Member): string => (email === "" ? username : email);

interface AddMemberProps {
  readonly onAdd: (name: string) => void;
  readonly onClose: () => void;
}

function AddMember({ onAdd, onClose }: AddMemberProps) {
  const wId = useWorkspaceId();
  const adding = useMutation(
    trpc.members.add.mutationOptions({ onSuccess: ({ member }) => onAdd(member.fullName) }),
  );
  const add = (form: FormData) => {
    const given = (name: string) => String(form.get(name)).trim();
    adding.mutate({
      wId,
      email: given("email"),
      firstName: given("firstName"),
      lastName: given("lastName") || undefined,
      username: given("username") || undefined,
    });
  };
  return (
    <FormDialog title="Add member" submit="Add" action={adding} onSubmit={add} onClose={onClose}>
      <TextField label="E-mail" name="email" type="email" required autoComplete="off" />
      <TextField label="First name" name="firstName" required autoComplete="off" />
      <TextField label="Last name" name="lastName" autoComplete="off" />
      <TextField
        label="Username"
        name="username"
        autoComplete="off"
        hint="Defaults to the part of the address before the @."
      />
    </FormDialog>
  );
}
