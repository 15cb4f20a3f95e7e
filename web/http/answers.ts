import type { Json, JsonObject, Key } from '../../src/model/index.js';

/** One application as the fleet shows it. */
export interface FleetRow {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly sync: string;
  readonly health: string;
  readonly operation: string;
  /** One sentence; empty where it is Synced and Healthy. */
  readonly cause: string;
  readonly destination: string;
  readonly destinationNamespace: string;
  readonly deployedAt: string;
}

export interface FleetCounts {
  readonly all: number;
  readonly sync: Readonly<Record<string, number>>;
  readonly health: Readonly<Record<string, number>>;
  readonly projects: readonly string[];
  readonly clusters: readonly string[];
  readonly namespaces: readonly string[];
}

export interface FleetAnswer {
  readonly total: number;
  readonly items: readonly FleetRow[];
  readonly counts: FleetCounts;
}

/** Why an application is not as it should be, or what it waits for. */
export interface ExplainAnswer {
  readonly reasons: readonly string[];
  readonly causes: readonly Pick<Cause, 'id' | 'name' | 'severity' | 'title' | 'chain' | 'fix'>[];
}

/** Everything that is not well, by its causes. */
export interface TriageAnswer {
  readonly time: string;
  readonly summary: { readonly applications: number; readonly objects: number; readonly events: number; readonly broken: number };
  readonly causes: readonly Cause[];
  readonly problems: readonly string[];
}

export interface Cause {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly rule: string;
  readonly kind: string;
  readonly confidence: string;
  readonly impact: string;
  readonly title: string;
  readonly objects: readonly Key[];
  readonly evidence: readonly { readonly of: string; readonly path: string; readonly value: string }[];
  readonly reach: { readonly count: number; readonly environments: readonly string[]; readonly names: readonly string[] };
  readonly heals: number;
  readonly alone: number;
  /** From what is seen to the cause. */
  readonly chain: readonly { readonly object: string; readonly rule: string; readonly says: string; readonly via: string; readonly grade: string }[];
  readonly consequences: readonly { readonly object: string; readonly rule: string; readonly says: string }[];
  readonly unverified: readonly string[];
  readonly since: string;
  readonly fix?: Fix;
  readonly next: readonly { readonly cause: string; readonly says: string; readonly pods: number }[];
  readonly patches?: readonly Patch[];
}

export interface Fix {
  readonly where: string;
  readonly say: string;
  readonly commands: readonly string[];
  readonly risk: string;
  readonly reversible: boolean;
  readonly verify: string;
  readonly steps?: readonly { readonly say: string; readonly command: string; readonly check: string }[];
  readonly snippet?: string;
}

/** A change of one file, as `git apply` reads it. */
export interface Patch {
  readonly repository: string;
  readonly file: string;
  readonly diff: string;
}

/** What a sync would do now, in order. */
export interface WavesAnswer {
  readonly waves: readonly Wave[];
}

export interface Wave {
  readonly phase: string;
  readonly wave: number;
  readonly tasks: readonly Task[];
  readonly waitsFor: readonly { readonly why: string; readonly key: Key }[];
}

export interface Task {
  readonly key: Key;
  readonly does: string;
  readonly isHook: boolean;
  readonly status?: string;
  readonly phase?: string;
  readonly notes: readonly string[];
}

/** Where an application differs from git, field by field. */
export interface DriftAnswer {
  readonly resources: readonly DriftedResource[];
  readonly advice?: readonly { readonly pointer: string; readonly class: string; readonly say: string }[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly rules: readonly JsonObject[];
  readonly needsRespect: boolean;
}

export interface DriftedResource extends Key {
  readonly origin: string;
  readonly presence: 'both' | 'git' | 'live';
  readonly fields: readonly DriftedField[];
}

export interface DriftedField {
  readonly pointer: string;
  readonly git?: Json;
  readonly live?: Json;
  readonly owner: string;
  readonly since: string;
  readonly class: string;
  readonly say: string;
}

/** What git says: JSON texts, and the file and line of each. */
export interface ManifestsAnswer {
  readonly manifests: readonly string[];
  readonly origins?: readonly string[];
}

export interface ValuesAnswer {
  readonly values: readonly { readonly path: string; readonly value: string; readonly origin: string; readonly lost: readonly { readonly value: string; readonly origin: string }[] }[];
}

/** The verdict of a check, or why there is none. */
export interface HealthVerdict {
  readonly status?: string;
  readonly message?: string;
  readonly by?: string;
  readonly error?: string;
  readonly findings?: readonly HealthFinding[];
}

export interface HealthFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly hint?: string;
  readonly line?: number;
}
