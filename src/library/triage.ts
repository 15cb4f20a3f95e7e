/** The few root causes behind everything that is broken in a cluster, from its objects, events and logs. */
import { collectFiles, loadCatalogue, openTriage } from '../control/index.js';
import { SnapshotBuilder, toHtml, toMarkdown, toTerminal, type Report, type Snapshot } from '../triage/index.js';
import { CATALOGUE } from '../package-folders.js';
import { toKubeObject } from './to-object.js';

export type { ArgosyError, KubernetesObject } from './types.js';

export interface ContainerLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whether it is the log of the run before the present one; false by default. */
  readonly previous?: boolean;
  readonly text: string;
}

export interface TriageInput {
  /** Objects of a cluster, Events among them; a List is taken apart. */
  readonly objects?: readonly object[];
  readonly logs?: readonly ContainerLog[];
  /** When the objects were read; by default the latest time that they mention. */
  readonly time?: Date;
}

/** Which object. */
export interface ObjectKey {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface CauseFix {
  readonly where: 'git' | 'cluster' | 'outside';
  readonly say: string;
  /** Shell commands, in order. */
  readonly commands: readonly string[];
  readonly risk: 'none' | 'restart' | 'delete-recreate' | 'data';
  readonly reversible: boolean;
  /** A command that shows whether it worked. */
  readonly verify: string;
}

/** A root cause with its proof. */
export interface Cause {
  /** The same in every report about the same cause. */
  readonly id: string;
  /** Its place in this report, such as `P0-1`. */
  readonly name: string;
  readonly severity: 'P0' | 'P1' | 'P2' | 'P3';
  /** The code of the rule, such as `POD-IMAGE`. */
  readonly rule: string;
  readonly kind: 'fault' | 'circle' | 'unexplained' | 'waiting';
  readonly confidence: 'sure' | 'likely' | 'lead';
  readonly title: string;
  /** The objects to change, and the field. */
  readonly objects: readonly ObjectKey[];
  readonly field: string;
  readonly evidence: readonly { readonly of: string; readonly path: string; readonly value: string }[];
  /** What suffers. */
  readonly reach: {
    readonly count: number;
    readonly environments: readonly string[];
    readonly names: readonly string[];
  };
  /** From the symptom to the cause. */
  readonly chain: readonly {
    readonly object: string;
    readonly rule: string;
    readonly says: string;
    readonly via: string;
  }[];
  /** When it began, as an RFC 3339 time; empty if nothing says so. */
  readonly since: string;
  readonly fix: CauseFix | undefined;
}

/** The same JSON as `argosy triage -o json`; causes are in the order of repair. */
export interface TriageReport {
  readonly time: string;
  readonly status: 'Open' | 'Partially Resolved' | 'Resolved';
  readonly summary: {
    readonly applications: number;
    readonly health: Readonly<Record<string, number>>;
    readonly sync: Readonly<Record<string, number>>;
    readonly objects: number;
    readonly events: number;
    readonly broken: number;
  };
  readonly causes: readonly Cause[];
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** Finds the causes in objects that are in memory. Values of Secrets are dropped first. */
export function triage(input: TriageInput): TriageReport {
  const builder = new SnapshotBuilder();
  for (const [index, object] of flatten(input.objects ?? []).entries()) builder.add(object, `objects[${index}]`);
  for (const { namespace, pod, container, previous = false, text } of input.logs ?? [])
    builder.addLog({ namespace, pod, container, previous, lines: text.split('\n').filter((line) => line !== '') });
  return report(builder.build(input.time?.getTime() ?? builder.latest ?? Date.now()));
}

/**
 * Finds the causes in dumps on disk: `kubectl get -o json` or yaml, `kubectl cluster-info dump`, a must-gather, a
 * support bundle, or an archive of them.
 */
export async function triageFiles(...paths: string[]): Promise<TriageReport> {
  return report(await collectFiles(paths, { now: Date.now() }));
}

export interface ReportFormat {
  (report: TriageReport): string;
}

/** The report for a terminal. */
export const formatText: ReportFormat = (given) => toTerminal(given as Report);
export const formatMarkdown: ReportFormat = (given) => toMarkdown(given as Report);
/** The report as a page of its own, without scripts. */
export const formatHtml: ReportFormat = (given) => toHtml(given as Report);

let run: ((snapshot: Snapshot) => Report) | undefined;

function report(snapshot: Snapshot): TriageReport {
  run ??= openTriage(loadCatalogue(CATALOGUE), Date.now);
  return run(snapshot);
}

function flatten(objects: readonly object[]): object[] {
  return objects.flatMap((given) => {
    const object = toKubeObject(given);
    return object.kind.endsWith('List') && Array.isArray(object['items'])
      ? flatten(object['items'] as object[])
      : [object];
  });
}
