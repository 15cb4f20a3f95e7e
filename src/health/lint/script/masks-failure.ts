import type { Health } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Analysis, Flow } from './analysis.js';
import type { Finding } from '../finding.js';
import type { LintOptions } from '../lint-options.js';
import type { Node } from './parse-script.js';
import { makeSpecimens, type Specimen } from './specimens.js';
import { statusLiterals } from './check-verdicts.js';

/** Reports a check that answers Healthy for an object that is not. */
export function checkMasking(analysis: Analysis, flow: Flow, options: LintOptions): void {
  const specimens = makeSpecimens(analysis);
  if (isAlwaysHealthy(flow)) {
    reportAlways(analysis, specimens, options);
    return;
  }
  const { evaluate } = options;
  if (evaluate === undefined) return;
  const openLibs = options.openLibs ?? false;
  const run = (source: string, object: KubeObject): Health | undefined =>
    attempt(() => evaluate(source, object, { openLibs }));
  const shown = new Set<Node>();
  for (const specimen of specimens) {
    // A script that tests something is judged by what it, its CRD or its kind names; guesses are for those that test
    // nothing.
    if (specimen.certainty === 'guess') continue;
    const severity = severityOf(specimen, options);
    if (severity === undefined || run(analysis.source, specimen.object)?.status !== 'Healthy') continue;
    const node = culprit(analysis, specimen, run);
    if (shown.has(node)) continue;
    shown.add(node);
    report(analysis, node, { severity, specimen });
  }
}

/** A script that stops with an error gives no verdict; other rules tell about it. */
function attempt(evaluate: () => Health | undefined): Health | undefined {
  try {
    return evaluate();
  } catch {
    return undefined;
  }
}

function isAlwaysHealthy({ next, returns }: Flow): boolean {
  if (next.length > 0 || returns.length === 0) return false;
  return returns.every(({ state, values }) => {
    const value = values.at(-1);
    const status = value?.kind === 'table' ? state.tables.get(value.id)?.fields.get('status') : undefined;
    return status?.kind === 'literal' && status.value === 'Healthy';
  });
}

/** How bad it is to call a specimen Healthy; nothing where it may well be. */
function severityOf(specimen: Specimen, { reference }: LintOptions): Finding['severity'] | undefined {
  const opinion = reference === undefined ? undefined : attempt(() => reference(specimen.object));
  if (opinion?.status === 'Degraded') return 'error';
  if (opinion?.status === 'Healthy' || opinion?.status === 'Suspended') return undefined;
  if (specimen.certainty === 'guess') return undefined;
  if (opinion !== undefined && specimen.certainty === 'derived') return 'warning';
  return specimen.state === 'failing' ? 'error' : 'warning';
}

/** The text "Healthy" without which the verdict would be another one. */
function culprit(
  analysis: Analysis,
  { object }: Specimen,
  run: (source: string, object: KubeObject) => Health | undefined,
): Node {
  const literals = statusLiterals(analysis).filter(({ value }) => value === 'Healthy');
  for (const { node, range } of literals) {
    const changed = `${analysis.source.slice(0, range[0])}"Missing"${analysis.source.slice(range[1])}`;
    if (run(changed, object)?.status !== 'Healthy') return node;
  }
  return literals[0]?.node ?? analysis.chunk;
}

function reportAlways(analysis: Analysis, specimens: readonly Specimen[], options: LintOptions): void {
  const node = statusLiterals(analysis).find(({ value }) => value === 'Healthy')?.node ?? analysis.chunk;
  const failing = specimens.find((specimen) => severityOf(specimen, options) === 'error');
  if (failing !== undefined) {
    report(analysis, node, { severity: 'error', specimen: failing });
    return;
  }
  const { kind } = analysis.settings;
  analysis.report('masks-failure', node, {
    severity: 'warning',
    message:
      `This check answers Healthy whatever the ${kind === '' ? 'object' : kind} says, so nobody sees it if ` +
      'this kind ever reports a failure.',
    hint: 'leave the check out if the kind has no status; Argo CD never waits for a kind without a check',
  });
}

function report(
  analysis: Analysis,
  node: Node,
  { severity, specimen }: { severity: Finding['severity']; specimen: Specimen },
): void {
  const { kind } = analysis.settings;
  const name = kind === '' ? 'object' : kind;
  const { status } = specimen.object;
  analysis.report('masks-failure', node, {
    severity,
    message:
      `The check answers Healthy for ${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name} whose ` +
      `${specimen.because}, so Argo CD goes on to the next wave and nobody sees the trouble.`,
    hint:
      specimen.hint ??
      `answer ${specimen.state === 'failing' ? 'Degraded' : 'Progressing'} for it; try it with an object ` +
        (status === undefined ? 'without a status' : `whose status is ${JSON.stringify(status)}`),
    example: specimen.object,
  });
}
