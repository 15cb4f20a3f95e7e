import type { KubeObject } from '../../model/kubernetes/index.js';
import type { User } from '../access/index.js';
import type { ResourceType } from '../resources/index.js';

/** One write on its way to the store, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly type: ResourceType;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new state, which mutating steps may change; absent for DELETE. */
  readonly object?: KubeObject | undefined;
  readonly old?: KubeObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  warn(message: string): void;
}

/**
 * One admission step. All functions are synchronous: the whole way from reading the current state to handing the write
 * to the store happens in one turn of the event loop, so nothing can change in between. Refusals throw ApiError.
 * Plugins get every write, so each checks the type first.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Changes the object after its writer's fields were noted, so that nobody owns what is added here. */
  mutate?(request: AdmissionRequest): void;
  /** After the kind prepared the object and before it is validated: what storage adds (addresses) or guards (roles). */
  prepare?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
}
