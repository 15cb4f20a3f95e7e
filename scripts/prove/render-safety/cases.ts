import {
  endingOf,
  openHostileEnvironment,
  type HostileEnvironment,
} from '../../../src/control/testing/hostile-environment.js';
import { LARGE_SOURCES, largeBranches } from '../../../src/control/safety/large-sources.js';
import { Fault } from '../../../src/model/faults/index.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import { BOMBS } from '../../../src/model/yaml/testing/yaml-bombs.js';
import { loadArchive } from '../../../src/render/helm/chart/load-files.js';
import { answer, readAnswers, readTable, TABLES } from '../../../src/render/safety/compared.js';
import {
  GLOBS,
  GLOB_WAYS,
  inSchema,
  inSelectors,
  inTemplates,
  PAIRS,
  RANGES,
  RANGE_WAYS,
} from '../../../src/render/safety/evil-patterns.js';
import { HOSTILE_ARCHIVES } from '../../../src/render/testing/hostile-archives.js';
import { CROWDED, messageOf, runaways, runRunaway } from '../../../src/render/safety/runaway-templates.js';
import { SET_BOMBS, WAYS } from '../../../src/render/safety/yaml-bombs.js';
import { attempt, chart } from '../../../src/render/safety/attempt.js';
import { openServer } from '../../../src/source/testing/git-server.js';
import { HOSTILE_INDEXES } from '../../../src/source/testing/hostile-indexes.js';
import { Cleanup, openTestSources } from '../../../src/source/testing/test-sources.js';

/** Something hostile. `prepare` makes it, which is not measured; what it gives is measured and says how it ended. */
export interface SafetyCase {
  readonly row: string;
  readonly name: string;
  readonly prepare: () => (() => Ending | Promise<Ending>) | Promise<() => Ending | Promise<Ending>>;
  readonly mostSeconds: number;
  /** Where it is refused, if that may take longer. */
  readonly mostSecondsRefused?: number;
}

/** `defect` where anything but a clean answer came. */
export interface Ending {
  readonly ending: string;
  readonly isAsWanted: boolean;
}

const anyAnswer = ({ ending }: { readonly ending: string }): Ending => ({ ending, isAsWanted: ending !== 'defect' });
const fixed =
  (act: () => Ending): SafetyCase['prepare'] =>
  () =>
    act;

function codeOf(act: () => unknown): string {
  try {
    act();
    return 'rendered';
  } catch (error) {
    return error instanceof Fault ? error.code : 'defect';
  }
}

/** S34: archives and indexes that grow are refused within 2 s. */
function growing(): SafetyCase[] {
  return [
    ...HOSTILE_ARCHIVES.map(
      ({ name, code, pack }): SafetyCase => ({
        row: 'S34',
        name,
        mostSeconds: 2,
        prepare: () => {
          const bytes = pack();
          return () => {
            const ending = codeOf(() => loadArchive(bytes, name, 'shop.tgz'));
            return { ending, isAsWanted: ending === code };
          };
        },
      }),
    ),
    ...HOSTILE_INDEXES.map(
      ({ name, prepare }): SafetyCase => ({
        row: 'S34',
        name,
        mostSeconds: 2,
        prepare: async () => {
          const cleanup = new Cleanup();
          const { origin } = await openServer(cleanup, prepare());
          const sources = await openTestSources(cleanup);
          return async () => {
            const { code } = await endingOf(() =>
              sources.fetchChart({ repository: { url: origin }, chart: 'app', version: '' }),
            );
            await cleanup.run();
            return { ending: code, isAsWanted: code === 'SOURCE_TOO_LARGE' };
          };
        },
      }),
    ),
  ];
}

/**
 * S35: the specification says nothing of time; what is too large must be told, and others must render. Ten seconds is
 * for the reading of 100 MB by git.
 */
function large(world: () => Promise<{ readonly world: HostileEnvironment; readonly repoURL: string }>): SafetyCase[] {
  return LARGE_SOURCES.map(
    ({ name, source = {}, names }, index): SafetyCase => ({
      row: 'S35',
      name,
      mostSeconds: 10,
      prepare: async () => {
        const { world: open, repoURL } = await world();
        const make = (branch: string, more = {}): ReturnType<typeof endingOf> =>
          endingOf(() => open.render([{ repoURL, targetRevision: branch, path: '.', ...more }]));
        return async () => {
          const [big, normal] = await Promise.all([make(`b${index}`, source), make('normal')]);
          return {
            ending: big.code,
            isAsWanted:
              /^(?:SOURCE_TOO_LARGE|RENDER_LIMIT)$/.test(big.code) &&
              big.output.includes(names) &&
              normal.code === 'done',
          };
        };
      },
    }),
  );
}

/** H4: a clean answer within 2 s. */
function runningAway(): SafetyCase[] {
  return [
    ...runaways.map(
      (one): SafetyCase => ({
        row: 'H4',
        name: one.name,
        mostSeconds: 2,
        prepare: fixed(() => {
          const { ending, output } = runRunaway(one);
          return { ending, isAsWanted: ending === one.ends && output.includes(one.says) };
        }),
      }),
    ),
    ...CROWDED.map(
      ([name, text]): SafetyCase => ({
        row: 'H4',
        name: `very many: ${name}`,
        mostSeconds: 2,
        prepare: fixed(() => anyAnswer(attempt(chart(text)))),
      }),
    ),
    ...inMessages(),
  ];
}

/** The same in templates of messages, which the controller itself fills in. */
function inMessages(): SafetyCase[] {
  const ends = (text: string): Ending => {
    const [, ending = 'rendered'] = /^(TEMPLATE_FAILED|RENDER_LIMIT): /.exec(messageOf(text)) ?? [];
    return { ending, isAsWanted: true };
  };
  const texts = [
    ...runaways.map(({ name, text }) => [name, text] as const),
    ...CROWDED.map(([name, text]) => [`very many: ${name}`, text] as const),
  ];
  return texts.map(
    ([name, text]): SafetyCase => ({
      row: 'H4',
      name: `message: ${name}`,
      mostSeconds: 2,
      prepare: fixed(() => ends(text)),
    }),
  );
}

/** H6, H7, H9, H11, H12, H15: the answer of the real tools. */
function compared(): SafetyCase[] {
  return TABLES.flatMap((table) => {
    const answers = readAnswers(table);
    return readTable(table).map(
      (one): SafetyCase => ({
        row: table,
        name: one.name,
        mostSeconds: 2,
        prepare: fixed(() => {
          const isEqual = JSON.stringify(answer(one)) === JSON.stringify(answers[one.name]);
          return { ending: isEqual ? 'equal' : 'different', isAsWanted: isEqual === (one.differs === undefined) };
        }),
      }),
    );
  });
}

/** H10: every bomb within 1 s, or refused, and that within 2 s. */
const ONE_SECOND = { mostSeconds: 1, mostSecondsRefused: 2 };

function bombs(): SafetyCase[] {
  const read = (text: string, dialect: 'kubernetes' | 'kyaml'): Ending =>
    anyAnswer({ ending: codeOf(() => readYaml(text, { dialect, duplicates: 'last' })) });
  return [
    ...BOMBS.flatMap(([name, text]) =>
      (['kubernetes', 'kyaml'] as const).map(
        (dialect): SafetyCase => ({
          row: 'H10',
          name: `${name}, ${dialect}`,
          ...ONE_SECOND,
          prepare: fixed(() => read(text, dialect)),
        }),
      ),
    ),
    ...WAYS.flatMap(({ way, bombs: list }) =>
      list.map(
        ({ name, run }): SafetyCase => ({
          row: 'H10',
          name: `${name} as ${way}`,
          ...ONE_SECOND,
          prepare: fixed(() => anyAnswer(run())),
        }),
      ),
    ),
    ...SET_BOMBS.flatMap(({ name, kinds }) =>
      kinds.map(
        ({ kind, run }): SafetyCase => ({
          row: 'H10',
          name: `${name} for --${kind}`,
          ...ONE_SECOND,
          prepare: fixed(() => anyAnswer({ ending: run() })),
        }),
      ),
    ),
  ];
}

/** H14: every pattern with its text within 50 ms; the other places that take patterns within 1 s. */
function patterns(): SafetyCase[] {
  return [
    ...PAIRS.map(
      ([pattern, text]): SafetyCase => ({
        row: 'H14',
        name: pattern,
        mostSeconds: 0.05,
        prepare: fixed(() => anyAnswer(inTemplates(pattern, text, ['regexMatch .p .t']))),
      }),
    ),
    ...PAIRS.flatMap(([pattern, text]) =>
      Object.entries({ 'every function': inTemplates, 'a schema': inSchema, selectors: inSelectors }).map(
        ([place, run]): SafetyCase => ({
          row: 'H14 elsewhere',
          name: `${pattern} in ${place}`,
          mostSeconds: 1,
          prepare: fixed(() => anyAnswer(run(pattern, text))),
        }),
      ),
    ),
    ...GLOBS.flatMap((glob) =>
      Object.entries(GLOB_WAYS).map(
        ([way, run]): SafetyCase => ({
          row: 'H14 elsewhere',
          name: `${glob} as ${way}`,
          mostSeconds: 1,
          prepare: fixed(() => anyAnswer(run(glob))),
        }),
      ),
    ),
    ...RANGES.flatMap((range) =>
      Object.entries(RANGE_WAYS).map(
        ([way, run]): SafetyCase => ({
          row: 'H14 elsewhere',
          name: `${range.slice(0, 40)} as ${way}`,
          mostSeconds: 1,
          prepare: fixed(() => anyAnswer(run(range))),
        }),
      ),
    ),
  ];
}

/** Every hostile case of the rows that have limits of time or memory; `close` ends what they work in. */
export function safetyCases(): { readonly cases: readonly SafetyCase[]; readonly close: () => Promise<void> } {
  let opened: Promise<{ readonly world: HostileEnvironment; readonly repoURL: string }> | undefined;
  const world = (): NonNullable<typeof opened> =>
    (opened ??= openHostileEnvironment().then((open) => ({ world: open, repoURL: open.repository(largeBranches()) })));
  return {
    cases: [...patterns(), ...bombs(), ...runningAway(), ...compared(), ...growing(), ...large(world)],
    close: async () => {
      await (await opened)?.world.close();
    },
  };
}
