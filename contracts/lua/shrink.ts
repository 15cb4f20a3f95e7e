type Shows = (source: string) => Promise<boolean>;

/**
 * Drops parts of a text as long as what is left still shows the difference: first runs of lines, then whole blocks,
 * which are told by their indentation, then the frames of blocks around their lines. Until nothing more can go.
 */
export async function shrinkLines(source: string, stillShows: Shows): Promise<string> {
  let lines = source.split('\n');
  for (let before = Infinity; lines.length < before; ) {
    before = lines.length;
    lines = await dropRuns(lines, stillShows);
    lines = await dropEach(lines, (at, end) => [...lines.slice(0, at), ...lines.slice(end + 1)], stillShows);
    lines = await dropEach(
      lines,
      (at, end) => [...lines.slice(0, at), ...lines.slice(at + 1, end), ...lines.slice(end + 1)],
      stillShows,
    );
  }
  return lines.join('\n');
}

async function dropRuns(lines: readonly string[], stillShows: Shows): Promise<string[]> {
  let left = [...lines];
  for (let size = left.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < left.length; ) {
      const rest = [...left.slice(0, from), ...left.slice(from + size)];
      if (await stillShows(rest.join('\n'))) left = rest;
      else from += size;
    }
  }
  return left;
}

/** Tries to go on without each block: a line, the lines that are indented more, and the next line that is not. */
async function dropEach(
  lines: string[],
  without: (at: number, end: number) => string[],
  stillShows: Shows,
): Promise<string[]> {
  for (let at = 0; at < lines.length; at++) {
    const depth = indentation(lines[at]);
    const end = lines.findIndex((line, index) => index > at && indentation(line) <= depth);
    if (end < 0) continue;
    const rest = without(at, end);
    if (!(await stillShows(rest.join('\n')))) continue;
    lines.splice(0, lines.length, ...rest);
    at--;
  }
  return lines;
}

function indentation(line = ''): number {
  return line.search(/\S|$/);
}
