import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Output } from "parley-client";
import { useRef, useState } from "react";
import { hasRole } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useParley, useSession } from "../api/use-session.ts";
import { Badge } from "../ui/badge.tsx";
import type { Tone } from "../ui/states.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { SelectField } from "../ui/field.tsx";
import { join } from "../ui/join.ts";
import { Page } from "../ui/page.tsx";
import { rowLink, Table } from "../ui/table.tsx";
import { formatNumber } from "../ui/time.tsx";
import { availabilities, type Availability, availabilityOf } from "./availability.ts";
import { readChosenFolder, readDropped, readZip } from "./read-dropped.ts";
import type { FolderFile } from "./skill-folders.ts";

const conflicts = {
  error: "Reject the import",
  skip: "Keep the existing skill",
  override: "Replace the existing skill",
} as const;

/** Imports skills from a folder or a zip that is dropped or chosen. */
export function SkillImportPage() {
  const parley = useParley();
  const [onConflict, setOnConflict] = useState<keyof typeof conflicts>("error");
  const [status, setStatus] = useState<"active" | "suggested">("suggested");
  const [availability, setAvailability] = useState<Availability>("editors");
  const reading = useMutation({ mutationFn: async (files: Promise<FolderFile[]>) => files });
  const importing = useMutation({
    mutationKey: trpc.skills.pathKey(),
    mutationFn: async (files: readonly FolderFile[]) =>
      parley.skills.import({ files, onConflict, status, availability, source: "local_file" }),
  });
  const files = reading.data;
  const read = (chosen: Promise<FolderFile[]>) => {
    importing.reset();
    reading.mutate(chosen);
  };
  return (
    <Page title="Import skills">
      <DropZone onRead={read} />
      {reading.isError && <ErrorNotice error={reading.error} />}
      {files && (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            importing.mutate(files);
          }}
        >
          <Table
            label="Files to import"
            rows={files}
            keyOf={({ path }) => path}
            columns={{
              File: ({ path }) => path,
              Bytes: ({ content }) => formatNumber(content.size),
            }}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            <SelectField
              label="On name conflict"
              value={onConflict}
              onChange={({ target: { value } }) =>
                setOnConflict(value === "skip" || value === "override" ? value : "error")
              }
            >
              {Object.entries(conflicts).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </SelectField>
            <SelectField
              label="State"
              value={status}
              onChange={({ target: { value } }) =>
                setStatus(value === "active" ? value : "suggested")
              }
            >
              <option value="suggested">Suggested</option>
              <option value="active">Active</option>
            </SelectField>
            <SelectField
              label="Availability"
              value={availability}
              onChange={({ target: { value } }) =>
                setAvailability(availabilityOf(value) ?? "editors")
              }
            >
              {Object.entries(availabilities).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </SelectField>
          </div>
          <Button
            type="submit"
            variant="primary"
            className="justify-self-start"
            isBusy={importing.isPending}
            disabled={importing.isSuccess}
          >
            Import
          </Button>
        </form>
      )}
      {importing.isError && <ErrorNotice title="Nothing was imported" error={importing.error} />}
      {importing.isSuccess && <Report report={importing.data} />}
    </Page>
  );
}

function DropZone({ onRead }: { readonly onRead: (files: Promise<FolderFile[]>) => void }) {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const zip = useRef<HTMLInputElement>(null);
  return (
    <div
      role="group"
      aria-label="Skills to import"
      className={join(
        "grid justify-items-center gap-3 rounded-lg border-2 border-dashed p-8 text-center",
        isOver ? "border-accent bg-accent-soft" : "border-control",
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onRead(readDropped(event.dataTransfer));
      }}
    >
      <p>Drop a folder with a SKILL.md, a folder of such folders, or a zip of either</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={() => folder.current?.click()}>Choose folder</Button>
        <Button onClick={() => zip.current?.click()}>Choose zip</Button>
      </div>
      <input
        ref={folder}
        type="file"
        hidden
        {...{ webkitdirectory: "" }}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          onRead(Promise.resolve(files).then(readChosenFolder));
          event.target.value = "";
        }}
      />
      <input
        ref={zip}
        type="file"
        hidden
        accept=".zip,application/zip"
        onChange={(event) => {
          const [file] = [...(event.target.files ?? [])];
          if (file !== undefined) onRead(readZip(file));
          event.target.value = "";
        }}
      />
    </div>
  );
}

const tones: Readonly<Record<"imported" | "updated" | "skipped", Tone>> = {
  imported: "good",
  updated: "accent",
  skipped: "neutral",
};

function Report({ report }: { readonly report: Output<"skills.import"> }) {
  const isAdmin = hasRole(useSession(), "admin");
  const rows = (["imported", "updated", "skipped"] as const).flatMap((outcome) =>
    report[outcome].map((skill) => ({ outcome, skill })),
  );
  return (
    <section aria-label="Report" role="status" className="grid gap-2">
      <h2 className="font-semibold">Import results</h2>
      <Table
        label="Report"
        rows={rows}
        keyOf={({ skill }) => skill.sId}
        columns={{
          Skill: ({ skill: { sId: skillId, name } }) => (
            <Link to="/skills/$skillId" params={{ skillId }} className={rowLink}>
              {name}
            </Link>
          ),
          Outcome: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge>,
          Reason: ({ skill }) => skill.reason,
        }}
      />
      <Link
        to="/skills"
        search={{ status: "suggested", ...(isAdmin && { all: true }) }}
        className="justify-self-start text-accent hover:underline"
      >
        Show suggested skills
      </Link>
    </section>
  );
}
