import { Allowance } from '../common/index.js';
import type { Mirror } from './mirror.js';

const MAX_COMMIT_BYTES = 1024 * 1024;

/**
 * The commits before one, the latest first, along first parents; fewer where the history begins or a shallow mirror
 * ends.
 */
export async function firstParents(mirror: Mirror, commit: string, most: number): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = commit; found.length < most; found.push(next)) {
    const [object] = await mirror.read([next], new Allowance(MAX_COMMIT_BYTES));
    next = parentOf(object?.bytes?.toString('latin1') ?? '');
    if (next === undefined || !(await mirror.hasCommit(next))) break;
  }
  return found;
}

function parentOf(text: string): string | undefined {
  return /^tree [0-9a-f]{40}\nparent ([0-9a-f]{40})\n/.exec(text)?.[1];
}
