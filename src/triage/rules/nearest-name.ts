/** The name that was probably intended: one that differs by a typo, a prefix or a suffix. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const limit = maxDistance(wanted);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of [...names].sort()) {
    if (name === wanted) continue;
    const distance = distanceOf(name, wanted, limit);
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** How many slips a name of this length may have. */
function maxDistance({ length }: string): number {
  if (length <= 4) return 1;
  return length <= 8 ? 2 : 3;
}

function distanceOf(name: string, wanted: string, limit: number): number {
  if (plain(name) === plain(wanted)) return 0;
  return isPart(name, wanted) ? 1 : editDistance(name, wanted, limit);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[-_.]/g, '');
}

/** `orders-db` and `orders-db-v2`, `env-api-key` and `api-key`. */
function isPart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && (long.startsWith(`${short}-`) || long.endsWith(`-${short}`));
}

/** How many single changes make one text of the other; more than the limit is limit + 1. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1;
      row.push(Math.min((row[j - 1] ?? 0) + 1, (before[j] ?? 0) + 1, (before[j - 1] ?? 0) + same));
    }
    before = row;
  }
  return before[b.length] ?? limit + 1;
}
