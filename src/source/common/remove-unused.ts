import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const UNUSED_MILLISECONDS = 7 * 24 * 3_600_000;
const GOING = '.going-';

/**
 * Removes the folders below one whose mark was not touched for a week, but for those that are in use: what credentials
 * that have gone left behind.
 */
export async function removeUnused(
  root: string,
  mark: string,
  now: Date,
  isUsed: (name: string) => boolean = () => false,
): Promise<void> {
  for (const name of await readdir(root).catch(() => [] as string[])) {
    const found = await stat(join(root, name, mark)).catch(() => undefined);
    const isOld = found !== undefined && now.getTime() - found.mtimeMs > UNUSED_MILLISECONDS;
    // Whoever comes meanwhile begins a new one.
    if (isOld && !isUsed(name)) await rename(join(root, name), join(root, `${GOING}${name}`));
  }
  for (const name of await readdir(root).catch(() => [] as string[]))
    if (name.startsWith(GOING)) await rm(join(root, name), { recursive: true, force: true });
}
