import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
let known: ReadonlyMap<number, number> | undefined;

/**
 * What whoever started the server left open, such as a pipe or a file, would be open in every process of a pod. For
 * `stdio` of a child whose first descriptors are given already: /dev/null in their place.
 */
export function inheritedDescriptors(first: number): (number | null)[] {
  known ??= new Map(find().map((descriptor) => [descriptor, openSync('/dev/null', 'r+')]));
  const last = Math.max(first - 1, ...known.keys());
  return Array.from({ length: last - first + 1 }, (_, index) => known?.get(first + index) ?? null);
}

function find(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && staysOpen(descriptor));
}

function staysOpen(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // the descriptor of this very list
  }
}
