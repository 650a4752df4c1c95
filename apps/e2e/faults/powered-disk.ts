import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { eventually } from "../server.ts";
import { canMount } from "./small-disk.ts";

// A disk that loses its power: two ext4 file systems, one in a file of the other. What the upper one
// writes is in the memory of the lower one, as in the cache of a disk, until the upper one flushes. The
// lower one has an ioctl that stops it at once, and forgets what it has not written: both what the
// system had not given to the disk and what the disk had not kept are gone.

const run = promisify(execFile);

/** A disk of a test's own. */
export interface PoweredDisk extends AsyncDisposable {
  readonly path: string;
  /** From now on nothing is written: every write and every flush fails. */
  cutPower(): Promise<void>;
  /** Mounts what is left, once nobody has a file of before open. */
  restorePower(): Promise<void>;
}

/** `_IOR('X', 125, __u32)`, FS_IOC_SHUTDOWN, called with 2: without a flush of the journal. */
const SHUTDOWN = `
  my $how = pack("L", 2);
  open(my $disk, "<", $ARGV[0]) or die "$!\\n";
  ioctl($disk, 0x8004587d, $how) or die "$!\\n";
`;

/** For processes of before to end: PostgreSQL's guard takes 5 s to lose its patience. */
const RELEASE_MS = 20_000;

/** Mounts an empty disk of this many megabytes. */
export async function mountPoweredDisk(megabytes: number): Promise<PoweredDisk> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-disk-"));
  const inFolder = (name: string): string => path.join(folder, name);
  const [lower, upper] = [inFolder("lower"), inFolder("upper")];
  const [lowerFile, upperFile] = [inFolder("image"), path.join(lower, "image")];
  const mounted: string[] = [];
  const unmountNow = (): void => {
    for (const mount of mounted.splice(0).toReversed()) spawnSync("umount", ["--lazy", mount]);
  };
  // However the test ends.
  process.on("exit", unmountNow);
  await using failing = new AsyncDisposableStack();
  failing.defer(async () => {
    process.off("exit", unmountNow);
    unmountNow();
    await rm(folder, { recursive: true, force: true });
  });
  const mount = async (image: string, at: string): Promise<void> => {
    // A loop device that goes when its mount does.
    await run("mount", ["-t", "ext4", "-o", "loop", image, at]);
    mounted.push(at);
  };
  const unmount = async (at: string): Promise<void> => {
    await eventually(
      () =>
        run("umount", [at]).then(
          () => ({ value: true }),
          () => ({}),
        ),
      RELEASE_MS,
    );
    mounted.pop();
  };

  await chmod(folder, 0o755);
  await mkdir(lower);
  await mkdir(upper);
  await makeFileSystem(lowerFile, megabytes + 64);
  await mount(lowerFile, lower);
  await makeFileSystem(upperFile, megabytes);
  await mount(upperFile, upper);
  const disposing = failing.move();
  return {
    path: upper,
    cutPower: async () => void (await run("perl", ["-e", SHUTDOWN, lower])),
    restorePower: async () => {
      await unmount(upper);
      await unmount(lower);
      await mount(lowerFile, lower);
      await mount(upperFile, upper);
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  };
}

async function makeFileSystem(image: string, megabytes: number): Promise<void> {
  const now = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
  await run("mkfs.ext4", ["-q", "-E", now, image, `${megabytes}M`]);
}

/** Why such a disk cannot be mounted here; nothing if it can. */
export async function whyNoPoweredDisk(): Promise<string | undefined> {
  if (!canMount) return "only root on Linux mounts disks";
  try {
    await using disk = await mountPoweredDisk(16);
    await disk.cutPower();
    return undefined;
  } catch (error) {
    return `no ext4 file system in a file that can be stopped: ${(error as Error).message.trim()}`;
  }
}
