import type { JsonObject } from '../../model/json/index.js';

/**
 * A fact from outside the cluster: which commit a branch is at, whether a password is right. Stages name probes, the
 * program hands in the functions; so stages stay data over inputs, and an answer is one of these inputs.
 * A function gives every outcome that a stage should see as an answer. One that throws has no answer, and is logged.
 */
export type Probe = (input: JsonObject, facts: ProbeContext) => Promise<JsonObject>;

export interface ProbeContext {
  /** The namespace of the object that asks; '' for one of the whole cluster. */
  readonly namespace: string;
  /** A Secret's data in base64, as it is stored. The probe is asked again when a Secret that it read changes. */
  secret(namespace: string, name: string): JsonObject | undefined;
  /** The server stops. */
  readonly signal: AbortSignal;
}

export type Probes = Readonly<Record<string, Probe>>;
