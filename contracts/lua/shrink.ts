/**
 * Drops parts of a text, line by line, as long as what is left still shows the difference. Halves first, then smaller
 * parts, until no single line can go.
 */
export async function shrinkLines(source: string, stillShows: (source: string) => Promise<boolean>): Promise<string> {
  let lines = source.split('\n');
  for (let size = lines.length >> 1; size >= 1; size >>= 1) {
    for (let isShorter = true; isShorter;) {
      isShorter = false;
      for (let from = 0; from < lines.length; from += size) {
        const rest = [...lines.slice(0, from), ...lines.slice(from + size)];
        if (!(await stillShows(rest.join('\n')))) continue;
        lines = rest;
        isShorter = true;
        from -= size;
      }
    }
  }
  return lines.join('\n');
}
