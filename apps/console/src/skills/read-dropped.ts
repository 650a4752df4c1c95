import { checkBytes, type FolderFile, skillFiles } from "./skill-folders.ts";

/** The files of a chosen folder, each with its path in it. Throws an `Error` with a readable message. */
export function readChosenFolder(files: readonly File[]): FolderFile[] {
  const placed = files.map((file) => ({ path: file.webkitRelativePath, content: file }));
  return skillFiles(placed, "skill");
}

/** The files of a zip. Throws an `Error` with a readable message. */
export async function readZip(zip: File): Promise<FolderFile[]> {
  const { unzip } = await import("fflate");
  const bytes = new Uint8Array(await zip.arrayBuffer());
  let total = 0;
  const entries = await new Promise<Record<string, Uint8Array>>((resolve, reject) => {
    const filter = ({ originalSize }: { originalSize: number }) => {
      // Checked before unpacking: a small zip may expand to a very large size.
      total += originalSize;
      checkBytes(total);
      return true;
    };
    unzip(bytes, { filter }, (error, unpacked) => (error ? reject(error) : resolve(unpacked)));
  });
  const files = Object.entries(entries)
    .filter(([path]) => !path.endsWith("/"))
    .map(([path, content]) => ({ path, content: new Blob([content as BlobPart]) }));
  return skillFiles(files, zip.name.replace(/\.zip$/i, ""));
}

/** The dropped files, of a folder or a zip. Throws an `Error` with a readable message. */
export async function readDropped(transfer: DataTransfer): Promise<FolderFile[]> {
  // Read at once: the list is empty after the event.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [file] = [...transfer.files];
  if (entries.length <= 1 && file !== undefined && /\.zip$/i.test(file.name)) return readZip(file);
  const files = (await Promise.all(entries.map(filesBelow))).flat();
  return skillFiles(files, "skill");
}

async function filesBelow(entry: FileSystemEntry): Promise<FolderFile[]> {
  const path = entry.fullPath.replace(/^\//, "");
  if (isFile(entry)) {
    const content = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path, content }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // A directory is read in parts, of which the last one is empty.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) break;
    children.push(...part);
  }
  return (await Promise.all(children.map(filesBelow))).flat();
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
