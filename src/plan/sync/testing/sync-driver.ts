import { equal } from '../../../model/json/index.js';
import { isCompleted, type ResourceResult, type SyncRequest } from '../../../model/argo/index.js';
import { keyOf, keyText, type KubeObject } from '../../../model/kubernetes/index.js';
import type { Improvements } from '../../../model/settings/index.js';
import { imageText } from '../image.js';
import type { ImageGateSince, SyncPlan, SyncStep, SyncInput, SyncResource } from '../sync-plan.js';
import { planSync } from '../plan-sync.js';
import { recordOutcomes } from '../record-outcomes.js';
import { bare, shortName, type MemoryCluster } from './memory-cluster.js';

export interface SyncScenario {
  readonly targets: readonly KubeObject[];
  /** What the application had before and git no longer has, by `Kind/name`. */
  readonly tracked: readonly string[];
  readonly request: SyncRequest;
  readonly syncOptions: readonly string[];
  readonly improvements: Improvements;
  readonly violations: ReadonlyMap<string, string>;
  readonly revision: string;
  readonly rest: Partial<
    Pick<
      SyncInput,
      'namespaceMetadata' | 'ungatedKinds' | 'waitTimeout' | 'waveTimeouts' | 'gateTimeout' | 'waveImages'
    >
  >;
}

/** Plays the controller's part: asks for the next move, keeps what must be kept, runs the steps. */
export class SyncDriver {
  readonly startedAt: Date;
  isTerminating = false;
  approvedAt: Date | undefined;
  /** Steps that were run, one line for each group. */
  readonly lines: string[] = [];
  readonly steps: SyncStep[] = [];
  /** How many more steps this process lives for; then it dies in the middle of whatever it does. */
  stepsUntilCrash = Infinity;
  #kept: { results: readonly ResourceResult[]; pruneWaves?: readonly number[]; imageGate?: ImageGateSince } = {
    results: [],
  };
  #results: readonly ResourceResult[] = [];
  #isChecked = false;
  #waveAppliedAt: Date | undefined;

  constructor(
    readonly cluster: MemoryCluster,
    readonly scenario: SyncScenario,
  ) {
    this.startedAt = cluster.now;
  }

  /** A new process: only what was written to the Application is known. */
  restart(): void {
    this.#results = this.#kept.results;
    this.#isChecked = false;
    this.#waveAppliedAt = undefined;
    this.stepsUntilCrash = Infinity;
  }

  input(): SyncInput {
    const { cluster, scenario } = this;
    return {
      ...scenario.rest,
      resources: this.#resources(),
      find: (key) => cluster.find(key),
      assess: (live) => cluster.assess(live),
      kindOf: (object) => (cluster.isServed(object) ? { namespaced: true } : undefined),
      imageState: (image) => cluster.images.get(imageText(image)) ?? { state: 'awaited', message: 'nobody builds it' },
      hookReason: (hook) => cluster.hookReasons.get(shortName(hook)),
      findViolation: (object) => scenario.violations.get(shortName(keyOf(object))),
      request: scenario.request,
      syncOptions: scenario.syncOptions,
      destinationNamespace: 'shop',
      state: {
        operationId: '0123456789',
        revision: scenario.revision,
        startedAt: this.startedAt,
        results: this.#results,
        isTerminating: this.isTerminating,
        isChecked: this.#isChecked,
        ...(this.#waveAppliedAt ? { waveAppliedAt: this.#waveAppliedAt } : {}),
        ...(this.#kept.pruneWaves ? { pruneWaves: this.#kept.pruneWaves } : {}),
        ...(this.#kept.imageGate ? { imageGate: this.#kept.imageGate } : {}),
      },
      ...(this.approvedAt ? { deletionApprovedAt: this.approvedAt } : {}),
      improvements: scenario.improvements,
      waveDelay: 2000,
      now: cluster.now,
    };
  }

  #resources(): SyncResource[] {
    const { cluster, scenario } = this;
    const wanted = new Set(scenario.targets.map((target) => keyText(keyOf(target))));
    const paired = scenario.targets.map((target): SyncResource => {
      const live = target.metadata.name === undefined ? undefined : cluster.find(keyOf(target));
      return {
        key: keyOf(target),
        target,
        ...(live ? { live } : {}),
        isModified: !live || !equal(bare(live), bare(target)),
      };
    });
    const extra = cluster
      .list()
      .filter((live) => scenario.tracked.includes(shortName(keyOf(live))) && !wanted.has(keyText(keyOf(live))));
    return [...paired, ...extra.map((live) => ({ key: keyOf(live), live, isModified: true }))];
  }

  /** Until the operation ends, waits, or the process dies. Undefined: it died. */
  run(): SyncPlan | undefined {
    for (let turns = 0; turns < 500; turns += 1) {
      const move = planSync(this.input());
      const imageGate = move.imageGate ?? this.#kept.imageGate;
      this.#kept = {
        results: move.results,
        ...(move.pruneWaves ? { pruneWaves: move.pruneWaves } : {}),
        ...(imageGate ? { imageGate } : {}),
      };
      this.#results = move.results;
      if (isCompleted(move.phase)) return move;
      if (move.groups.length === 0) {
        if (move.requeueAt && move.requeueAt <= this.cluster.now) continue;
        return move;
      }
      if (!this.#run(move)) return undefined;
    }
    throw new Error('the operation does not end');
  }

  #run(move: SyncPlan): boolean {
    for (const group of move.groups) {
      this.lines.push(describe(group));
      const outcomes = [];
      for (const step of group) {
        if (this.stepsUntilCrash <= 0) return false;
        this.stepsUntilCrash -= 1;
        this.steps.push(step);
        outcomes.push(this.cluster.run(step));
      }
      this.#results = recordOutcomes(this.#results, outcomes);
    }
    const kinds = new Set(move.groups.flat().map((step) => step.kind));
    if (kinds.has('check')) this.#isChecked = true;
    if (kinds.has('apply')) this.#waveAppliedAt = this.cluster.now;
    return true;
  }
}

/** `apply: ConfigMap/a, ConfigMap/b`, with `; ` where the verb changes. */
function describe(group: readonly SyncStep[]): string {
  const verbs = new Map<string, string[]>();
  for (const step of group) {
    const verb = step.kind === 'apply' ? step.how.method : step.kind;
    verbs.set(verb, [...(verbs.get(verb) ?? []), `${shortName(step.task.key)}${flags(step)}`]);
  }
  return [...verbs].map(([verb, names]) => `${verb}: ${names.join(', ')}`).join('; ');
}

function flags(step: SyncStep): string {
  if (step.kind === 'prune' || step.kind === 'delete-hook')
    return step.propagation === 'Foreground' ? '' : ` (${step.propagation})`;
  if (step.kind === 'release-hook') return '';
  const { validate, migrate, force } = step.how;
  const said = [
    ...(validate ? [] : ['no validation']),
    ...(migrate ? [] : ['no migration']),
    ...(force && step.how.method === 'apply' ? ['force'] : []),
  ];
  return said.length > 0 ? ` (${said.join(', ')})` : '';
}
