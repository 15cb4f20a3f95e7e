/** The word of a list that a writer most likely meant; nothing when none is near. */
export function closestWord(word: string, words: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: { word: string; score: number } | undefined;
  for (const candidate of words) {
    const score = distance(wanted, candidate.toLowerCase());
    const limit = Math.max(1, Math.floor(Math.min(wanted.length, candidate.length) / 3));
    if (score <= limit && (best === undefined || score < best.score)) best = { word: candidate, score };
  }
  if (best !== undefined) return best.word;
  const stem = wanted.slice(0, 5);
  return stem.length === 5 ? words.find((candidate) => candidate.toLowerCase().startsWith(stem)) : undefined;
}

/** Edits between two words; two neighbouring letters that changed places count as one. */
function distance(a: string, b: string): number {
  let [before, previous]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      current.push(least);
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
