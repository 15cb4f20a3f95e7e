import type { Key } from '../kubernetes/index.js';

/** `GET /api/v1/applications/{name}/explain`: why it is not as it should be, or what it waits for. */
export interface Explanation {
  /** Sentences, the most important first; none where all is well. */
  readonly reasons: readonly string[];
  /** The causes of triage that it suffers from. */
  readonly causes: readonly CauseView[];
  /** False while the repositories are still searched for patches. */
  readonly isSearched: boolean;
}

/** `GET /api/v1/triage`: the last look, with patches where the source is known. */
export interface TriageResponse {
  /** When the snapshot was taken. */
  readonly time: string;
  readonly summary: {
    readonly applications: number;
    readonly objects: number;
    readonly events: number;
    readonly broken: number;
  };
  readonly causes: readonly CauseView[];
  /** What could not be read. */
  readonly problems: readonly string[];
  /** False while the repositories are still searched for patches: whoever wants them asks again. */
  readonly isSearched: boolean;
}

export interface CauseView {
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
  readonly reach: {
    readonly count: number;
    readonly environments: readonly string[];
    readonly names: readonly string[];
  };
  readonly heals: number;
  readonly alone: number;
  /** From what is seen to the cause. */
  readonly chain: readonly {
    readonly object: string;
    readonly rule: string;
    readonly says: string;
    readonly via: string;
    readonly grade: string;
  }[];
  readonly consequences: readonly { readonly object: string; readonly rule: string; readonly says: string }[];
  readonly unverified: readonly string[];
  readonly since: string;
  readonly fix: FixView | null;
  readonly next: readonly { readonly cause: string; readonly says: string; readonly pods: number }[];
  /** What git has to say otherwise; none where its files are not known or no change of them ends it. */
  readonly patches: readonly PatchView[];
  /** What was done to see that the patches are right, in sentences. */
  readonly proof: readonly string[];
}

export interface FixView {
  readonly where: string;
  readonly say: string;
  readonly commands: readonly string[];
  readonly risk: string;
  readonly reversible: boolean;
  readonly verify: string;
  readonly steps: readonly { readonly say: string; readonly command: string; readonly check: string }[];
  readonly snippet: string;
}

/** A change of one file. */
export interface PatchView {
  readonly repository: string;
  readonly revision: string;
  readonly file: string;
  readonly line: number;
  /** As `git apply` reads it; empty where the file holds secrets, which are shown to nobody. */
  readonly diff: string;
}

/** `GET /api/v1/applications/{name}/waves`: what a sync would do now, in order. */
export interface WavesResponse {
  readonly revisions: readonly string[];
  readonly waves: readonly WaveView[];
  /** Why there is no plan to tell; empty where there is one. */
  readonly unknown: string;
}

export interface WaveView {
  readonly phase: string;
  readonly wave: number;
  readonly tasks: readonly TaskView[];
  readonly waitsFor: readonly { readonly why: string; readonly key: Key }[];
}

export interface TaskView {
  readonly key: Key;
  readonly does: string;
  readonly isHook: boolean;
  readonly status?: string;
  readonly phase?: string;
  readonly notes: readonly string[];
}
