import { SecretDialog } from "../ui/secret-dialog.tsx";

/** A secret that is shown once, with the URL that events are sent to. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
  readonly url: string;
}

interface TriggerSecretProps {
  readonly made: NewSecret;
  readonly onClose: () => void;
}

/** Shows the secret of a trigger once: alone if events are signed with it, else as part of the URL. */
export function TriggerSecret({ made: { name, secret, url }, onClose }: TriggerSecretProps) {
  const isPartOfUrl = url.endsWith(`/${secret}`);
  return (
    <SecretDialog
      title={isPartOfUrl ? `URL of ${name}` : `Secret of ${name}`}
      secret={isPartOfUrl ? url : secret}
      onClose={onClose}
    >
      {isPartOfUrl ? (
        <p>Anyone with this URL can send events.</p>
      ) : (
        <p>
          Give it to the service, with the URL <code className="font-mono text-sm">{url}</code>
        </p>
      )}
    </SecretDialog>
  );
}
