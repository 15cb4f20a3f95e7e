import { type Graph, PHASES, type Edge } from '../graph/index.js';
import { unpullableImages } from '../rules/index.js';
import type { Finding, RuleEngine } from '../findings/index.js';
import type { Cause, CauseMap } from './find-causes.js';
import type { Point } from './explain-findings.js';

/** What will block pods once the current failure is fixed. */
export interface NextBlocker {
  /** The cause behind it, if it is already reported. */
  readonly causeKey: string | undefined;
  readonly says: string;
  /** How many pods will meet it. */
  readonly pods: number;
}

/**
 * A pod shows one failing phase at a time: what later phases need is checked now, so that one fix does not only reveal
 * the next failure.
 */
export class LookAhead {
  readonly #graph: Graph;
  readonly #engine: RuleEngine;
  readonly #behind: CauseMap['behind'];
  readonly #byNode = new Map<string, Point[]>();
  readonly #pulling = new Map<string, Point>();

  constructor(points: readonly Point[], { behind }: CauseMap, graph: Graph, engine: RuleEngine) {
    this.#graph = graph;
    this.#engine = engine;
    this.#behind = behind;
    for (const point of points) {
      const { node } = point.finding;
      this.#byNode.set(node.id, [...(this.#byNode.get(node.id) ?? []), point]);
      if (node.key.kind === 'Pod') for (const image of unpullableImages(node)) this.#pulling.set(image, point);
    }
  }

  /** What will block the affected pods after a cause is fixed, the most frequent first. */
  after(cause: Cause, sufferers: readonly Point[]): NextBlocker[] {
    const found = new Map<string, { blocker: Omit<NextBlocker, 'pods'>; pods: Set<string> }>();
    for (const { finding } of sufferers) {
      if (finding.node.key.kind !== 'Pod' || finding.level !== 'fault') continue;
      for (const blocker of this.#blockers(finding, cause)) {
        const key = blocker.causeKey ?? blocker.says;
        const known = found.get(key) ?? { blocker, pods: new Set<string>() };
        known.pods.add(finding.node.id);
        found.set(key, known);
      }
    }
    return [...found.values()]
      .map(({ blocker, pods }) => ({ ...blocker, pods: pods.size }))
      .sort((a, b) => b.pods - a.pods || (a.says < b.says ? -1 : 1));
  }

  #blockers(finding: Finding, cause: Cause): Omit<NextBlocker, 'pods'>[] {
    return this.#graph
      .edges(finding.node)
      .filter((edge) => isLater(edge, finding))
      .flatMap(({ to }) => {
        const pulling = to.key.kind === 'Image' ? this.#pulling.get(to.key.name) : undefined;
        const known = pulling === undefined ? (this.#byNode.get(to.id) ?? []) : [pulling];
        const causes = new Set(known.filter(isFault).flatMap((point) => [...(this.#behind.get(point) ?? [])]));
        if (causes.has(cause)) return [];
        if (causes.size > 0) return [...causes].map(blockerOf);
        const [unmet] = this.#engine.findings(to).filter((each) => isFault({ finding: each }));
        return unmet === undefined ? [] : [{ causeKey: undefined, says: unmet.title }];
      });
  }
}

function blockerOf({ key, finding }: Cause): Omit<NextBlocker, 'pods'> {
  return { causeKey: key, says: finding.commonTitle ?? finding.title };
}

function isFault({ finding: { level, impact } }: { readonly finding: Finding }): boolean {
  return level === 'fault' && impact !== 'note' && impact !== 'drift';
}

/** Only edges from fields, and only those needed after the current phase of the pod. */
function isLater({ hard, grade, type, phases }: Edge, { phase }: Finding): boolean {
  return (
    hard &&
    (grade === 'A' || grade === 'B') &&
    type !== 'owner' &&
    phases.every((each) => PHASES.indexOf(each) > PHASES.indexOf(phase))
  );
}
