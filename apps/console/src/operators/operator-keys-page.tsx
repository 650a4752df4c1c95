import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ExpiryField, expiryIn } from "../administration/key-form.tsx";
import { Keys } from "../administration/keys.tsx";
import { rpc, trpc } from "../api/clients.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

/** The keys of the server's operators. */
export function OperatorKeysPage() {
  const { after } = useSearch({ from: "/session/operator-keys" });
  const list = useQuery(trpc.operatorKeys.list.queryOptions({ lastValue: after }));
  return (
    <Keys
      name="Operator keys"
      noun="operator key"
      query={list}
      rowsOf={({ operatorKeys }) => operatorKeys}
      after={after}
      // The reader has a key, so only a page past the last one is empty.
      empty={null}
      actionsOf={({ name }, start) => (
        <span className="flex gap-2">
          <Button isSmall of={name} onClick={() => start("rotate")}>
            Rotate
          </Button>
          <Button isSmall of={name} onClick={() => start("revoke")}>
            Revoke
          </Button>
        </span>
      )}
      Form={OperatorKeyForm}
      fields={
        <CheckField
          label="Even if no other operator key is usable"
          name="evenIfLast"
          hint="Then only parley keys bootstrap, on the command line, can create another."
        />
      }
      rotate={async ({ sId: keyId }, overlapSeconds, form) =>
        rpc.operatorKeys.rotate.mutate({ keyId, overlapSeconds, evenIfLast: isLastAllowed(form) })
      }
      revoke={async ({ sId: keyId }, form) =>
        rpc.operatorKeys.revoke.mutate({ keyId, evenIfLast: isLastAllowed(form) })
      }
      changes={trpc.operatorKeys.pathKey()}
      consequence={(name) =>
        `${name} and its sessions stop working within seconds. This cannot be undone.`
      }
    />
  );
}

const isLastAllowed = (form: FormData): boolean => form.get("evenIfLast") !== null;

interface OperatorKeyFormProps {
  readonly onDone: (created: { readonly name: string; readonly secret: string }) => void;
  readonly onClose: () => void;
}

/** Creates an operator key. */
function OperatorKeyForm({ onDone, onClose }: OperatorKeyFormProps) {
  const creating = useMutation(
    trpc.operatorKeys.create.mutationOptions({
      onSuccess: ({ operatorKey: { name }, secret }) => onDone({ name, secret }),
    }),
  );
  return (
    <FormDialog
      title="Create operator key"
      description="Administers every workspace on the server. Give each operator their own."
      submit="Create"
      action={creating}
      onSubmit={(form) =>
        creating.mutate({ name: String(form.get("name")), expiresAt: expiryIn(form) })
      }
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={255} autoComplete="off" />
      <ExpiryField />
    </FormDialog>
  );
}
