import type { Monorepo, MonorepoApplication } from './monorepo.js';

/** A commit, and the applications that it concerns. */
export interface MonorepoChange {
  readonly name: string;
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly expected: readonly string[];
  readonly under?: number;
}

const TEAM = 3;
const FAST = 200;

/** Single changes, one after the other on the same repository; `round` makes each of them new. */
export function changesFor(repository: Monorepo, round: number): MonorepoChange[] {
  const { applications, files } = repository;
  const ofKind = (folder: string): MonorepoApplication[] =>
    applications.filter(({ source }) => pathOf(source).startsWith(`${folder}/`));
  const [charts, overlays, plain] = [ofKind('apps'), ofKind('overlays'), ofKind('plain')];
  const teamCharts = charts.filter(({ namespace }) => namespace === `team-${TEAM}`).map(({ name }) => name);
  const base = `bases/base-${TEAM}`;
  const onBase = overlays
    .filter(({ source }) => files.get(`${pathOf(source)}/kustomization.yaml`)?.includes(`../../${base}\n`))
    .map(({ name }) => name);
  const bare = charts.filter(({ source }) => !files.has(`${pathOf(source)}/.helmignore`));
  const touch = (
    application: MonorepoApplication | undefined,
    file: string,
    text: string,
  ): Pick<MonorepoChange, 'files' | 'expected'> => ({
    files: new Map([[`${pathOf(application?.source ?? {})}/${file}`, text]]),
    expected: application === undefined ? [] : [application.name],
  });
  const at = <T>(items: readonly T[]): T | undefined => items[round % items.length];
  return [
    {
      name: 'touches one chart',
      ...touch(at(charts), 'values.yaml', changed(files, at(charts), 'values.yaml', `replicas: ${10 + round}`)),
      under: FAST,
    },
    {
      name: 'touches one overlay',
      ...touch(at(overlays), 'settings.properties', `owner=somebody-else\nlimit=${round}\n`),
      under: FAST,
    },
    {
      name: 'touches one folder of plain files',
      ...touch(at(plain), 'part-0.yaml', `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: changed-${round}\n`),
      under: FAST,
    },
    {
      name: 'touches what concerns nobody',
      files: new Map([
        ['docs/how-to.md', `Round ${round}\n`],
        [`${pathOf(at(plain)?.source ?? {})}/README.md`, `# Round ${round}\n`],
      ]),
      expected: [],
      under: FAST,
    },
    {
      name: 'adds a file that a pattern matches',
      files: new Map([[`teams/team-${TEAM}/stages/prod-${round}.yaml`, `config:\n  round: "${round}"\n`]]),
      expected: teamCharts,
    },
    {
      name: 'adds a values file that was missing',
      ...touch(at(charts.slice(1)), 'values-prod.yaml', `replicas: ${20 + round}\n`),
    },
    { name: 'adds a .helmignore', ...touch(at(bare), '.helmignore', `# round ${round}\n*.bak\n`) },
    {
      name: 'touches a base of many',
      files: new Map([
        [
          `${base}/service.yaml`,
          `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: ${100 + round}\n`,
        ],
      ]),
      expected: onBase,
    },
  ];
}

/** New values for every application, so that nothing kept of the last round fits. */
export function changeOfAll({ applications, files }: Monorepo, round: number): ReadonlyMap<string, string> {
  return new Map(
    applications.map((application) => {
      const path = pathOf(application.source);
      if (path.startsWith('apps/'))
        return [`${path}/values.yaml`, changed(files, application, 'values.yaml', `replicas: ${100 + round}`)];
      if (path.startsWith('overlays/')) return [`${path}/settings.properties`, `owner=all\nlimit=${round}\n`];
      return [
        `${path}/part-1.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${application.name}-${round}\n`,
      ];
    }),
  );
}

function changed(
  files: ReadonlyMap<string, string>,
  application: MonorepoApplication | undefined,
  file: string,
  line: string,
): string {
  const text = files.get(`${pathOf(application?.source ?? {})}/${file}`) ?? '';
  return text.replace(/^replicas: .*/m, line);
}

function pathOf(source: MonorepoApplication['source']): string {
  return typeof source['path'] === 'string' ? source['path'] : '';
}
