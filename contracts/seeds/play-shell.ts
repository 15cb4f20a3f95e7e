import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { commandAt, readDocument } from './document.js';
import { findKubectl } from './find-kubectl.js';
import { readRows, type Lines, type Played, type Row, type Run } from './read-rows.js';
import type { ShellEnvironment } from './shell-environment.js';
import { Shell } from './shell.js';

const LONG = 20 * 60_000;
const EACH = 240_000;

/**
 * Plays every command of a document that can run: what we would type, and the document's own where it is on this
 * machine.
 */
export async function playShell(seed: string, openWorld: () => Promise<ShellEnvironment>): Promise<void> {
  const kubectl = await findKubectl();
  const absent =
    kubectl.kind === 'missing' ? `skipped: commands of ${seed} (kubectl: ${kubectl.reason})` : embeddedMissing();
  const document = readDocument(seed);
  const rows = readRows(seed).filter(({ run }) => run !== undefined);
  describe(`the commands of ${seed}`, () => {
    if (absent !== undefined || kubectl.kind === 'missing') {
      it.skip(absent ?? '', () => {
        /* the name says why */
      });
      return;
    }
    let world: ShellEnvironment;
    let shell: Shell;
    beforeAll(async () => {
      world = await openWorld();
      shell = new Shell(world, kubectl.path);
    }, LONG);
    afterAll(async () => {
      shell.close();
      await world.close();
    });
    const played = new Set<string>();
    for (const row of rows) plays(row, () => shell, document, played);
    if (document === undefined)
      it.skip(`skipped: commands of ${seed} word for word (../shared/seeds is not there)`, () => {
        /* the name says why */
      });
  });
}

/** `npm run prove -- whole-suites` types our command for each row, also one that another row has shown. */
function plays(row: Row, shellOf: () => Shell, document: readonly string[] | undefined, played: Set<string>): void {
  const { run } = row;
  if (run === undefined) return;
  const theirs = document === undefined ? undefined : run.theirs;
  if (IS_WHOLE || theirs === undefined || run.own.before !== undefined || !played.has(run.ours))
    it(
      `line ${row.from}: ${row.says}`,
      async () => {
        await play(shellOf(), run.ours, run.own, run.own.shows);
      },
      EACH,
    );
  played.add(run.ours);
  if (theirs === undefined || document === undefined) return;
  it(
    `line ${row.from}: ${row.says}, word for word`,
    async () => {
      const command = Object.entries(theirs.replace).reduce(
        (text, [from, to]) => text.replaceAll(from, to),
        commandAt(document, { ...row, kind: 'command' }),
      );
      await play(shellOf(), theirs.then === undefined ? command : `${command}\n${theirs.then}`, theirs, [
        ...theirs.shows,
        ...linesLike(document, theirs),
      ]);
    },
    EACH,
  );
}

/** The lines that a document shows as printed, as patterns: blanks are squeezed, `...` stands for anything. */
function linesLike(document: readonly string[], { like }: NonNullable<Run['theirs']>): string[] {
  const printed = like === undefined ? [] : between(document, like);
  return printed
    .map((line) => line.trim().replace(/^#+ */, ''))
    .filter((line) => line !== '')
    .map((line) => {
      const parts = line.split(/\.{3}|…/).map((part) =>
        part
          .trim()
          .split(/\s+/)
          .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
          .join(' +'),
      );
      return `/^ *${parts.join('.*')} *$/`;
    });
}

function between(document: readonly string[], { from, to }: Lines): readonly string[] {
  return document.slice(from - 1, to);
}

async function play(shell: Shell, command: string, played: Played, shows: readonly string[]): Promise<void> {
  if (played.before !== undefined)
    await play(shell, played.before, { shows: [], code: 0, env: {}, endless: false }, []);
  const lacks = (text: string): string[] => shows.filter((each) => !isPrinted(text, each));
  const { code, text } = await shell.play(
    command,
    played,
    (shown) => shown.code === played.code && lacks(shown.text).length === 0,
  );
  expect({ code, lacks: lacks(text) }, `${command}\nshowed:\n${text}`).toEqual({ code: played.code, lacks: [] });
}

/** A text is in what was shown; one between slashes is a pattern of a line. */
function isPrinted(text: string, wanted: string): boolean {
  const [, pattern] = /^\/(.*)\/$/s.exec(wanted) ?? [];
  return pattern === undefined ? text.includes(wanted) : new RegExp(pattern, 'm').test(text);
}
