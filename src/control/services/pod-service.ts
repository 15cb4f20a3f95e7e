import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { followLogs, type LogConsumer, type PodLogRequest } from './pod-logs.js';
import type { ResourceService } from './resource-service.js';
import { findShell, type StartShell, type TerminalRequest } from './terminal.js';

/** Logs and terminals of the pods of an application. */
export class PodService {
  readonly #context: ReconcileContext;
  readonly #resources: ResourceService;

  constructor(context: ReconcileContext, resources: ResourceService) {
    this.#context = context;
    this.#resources = resources;
  }

  followLogs(application: KubeObject, request: PodLogRequest, take: LogConsumer, signal: AbortSignal): Promise<void> {
    return followLogs(this.#resources, application, request, take, signal);
  }

  /** Starts a shell in a container of an application. A Fault says why it cannot, in Argo CD's words. */
  findShell(application: KubeObject, request: TerminalRequest): Promise<StartShell> {
    return findShell(
      {
        resources: this.#resources,
        shells: this.#context.controlPlane.settings.terminal.shells,
        clock: this.#context.clock,
      },
      application,
      request,
    );
  }
}
