import type { Key } from '../../model/kubernetes/index.js';
import type { Evidence, Fix, Impact, Severity } from '../findings/index.js';

export interface ChainStep {
  readonly object: string;
  readonly rule: string;
  readonly says: string;
  /** The field of the step before that led here; empty for the first. */
  readonly via: string;
  /** How sure that is, from A to D; empty for the first. */
  readonly grade: string;
}

export interface Consequence {
  readonly object: string;
  readonly rule: string;
  readonly says: string;
}

/** One cause with its proof. */
export interface ReportedCause {
  /** The same in every report about the same cause. */
  readonly id: string;
  /** Its place in this report, such as P0-1. */
  readonly name: string;
  readonly severity: Severity;
  readonly rule: string;
  readonly kind: 'fault' | 'circle' | 'unexplained' | 'waiting';
  /** sure: proved. likely: all that is seen says so, and something else could. lead: where to look next. */
  readonly confidence: 'sure' | 'likely' | 'lead';
  readonly impact: Impact;
  readonly title: string;
  /** What to change. */
  readonly objects: readonly Key[];
  readonly field: string;
  readonly evidence: readonly Evidence[];
  readonly reach: {
    readonly count: number;
    readonly environments: readonly string[];
    readonly names: readonly string[];
  };
  /** How many become whole with this and all before it, and how many by this alone. */
  readonly heals: number;
  readonly alone: number;
  readonly chain: readonly ChainStep[];
  readonly consequences: readonly Consequence[];
  readonly cleared: readonly string[];
  readonly unverified: readonly string[];
  /** Who asks for what is broken, and how Services, pods and events around it look. */
  readonly around: readonly string[];
  /** Of a cause that is not sure: a command that only reads and would settle it. */
  readonly settle: string;
  /** When it began, as an RFC 3339 time; empty if unknown. */
  readonly since: string;
  readonly fix: Fix | undefined;
  /**
   * What will block pods once this is fixed: a cause of this report by its name, or a failure that is not a cause yet.
   */
  readonly next: readonly { readonly cause: string; readonly says: string; readonly pods: number }[];
}

export interface NodePool {
  readonly count: number;
  readonly ready: number;
  readonly taints: readonly string[];
  readonly capacity: string;
  readonly nodes: readonly string[];
}

/** A cause of an earlier report that is not found any more. */
export interface GoneCause {
  readonly id: string;
  /** Its place in the report that last had it. */
  readonly name: string;
  readonly severity: Severity;
  readonly rule: string;
  readonly title: string;
  /** The time of the snapshot that first lacked it. */
  readonly resolved: string;
  /** What changed, a sentence each. */
  readonly changed: readonly string[];
}

/** What became of an earlier report. */
export interface History {
  /** When the earlier snapshot was taken. */
  readonly previous: string;
  readonly resolved: readonly GoneCause[];
  /** Not found, but the objects could not be read: unknown. */
  readonly unverified: readonly GoneCause[];
  /** Identifiers of causes that the earlier report did not have. */
  readonly fresh: readonly string[];
}

export interface Report {
  readonly version: 1;
  /** When the snapshot was taken. */
  readonly time: string;
  readonly status: 'Open' | 'Partially Resolved' | 'Resolved';
  readonly summary: {
    readonly applications: number;
    readonly health: Readonly<Record<string, number>>;
    readonly sync: Readonly<Record<string, number>>;
    readonly objects: number;
    readonly events: number;
    /** What the counts of reach count. */
    readonly counted: 'applications' | 'workloads';
    readonly broken: number;
  };
  readonly causes: readonly ReportedCause[];
  /** Where an earlier report was given. */
  readonly history?: History;
  readonly topology: readonly NodePool[];
  /** Commands that show the state of what was found. */
  readonly validation: readonly string[];
  /** Series of metrics were there to be judged. */
  readonly isMeasured?: boolean;
  /** What could not be read. */
  readonly problems: readonly string[];
  /** The snapshot is incomplete, so there may be causes that are not listed. */
  readonly isPartial?: boolean;
}
