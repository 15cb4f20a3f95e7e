import { createHash } from 'node:crypto';
import type { DriftResponse, ValuesResponse, WavesResponse } from '../../model/api/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { Fault } from '../../model/faults/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { inspectApplication, renderLocalManifests, type InspectOptions, type Inspection } from '../inspect/index.js';
import { archiveTree } from '../manifests/index.js';
import type { ApplicationService } from './application-service.js';
import { driftOf } from './drift.js';
import { reasonsOf } from './explain.js';
import { InspectionCache } from './inspection-cache.js';
import type { ResourceService } from './resource-service.js';
import { serverSideDiff, type PredictedDiff } from './server-side-diff.js';
import { sourceDetails } from './source-details.js';
import { valuesOf } from './values.js';
import { wavesOf } from './waves.js';

/** What a reconcile of an application would find, and why it is not Synced and Healthy. Nothing is written. */
export class InspectionService {
  readonly #context: ReconcileContext;
  readonly #applications: ApplicationService;
  readonly #resources: ResourceService;
  readonly #cache: InspectionCache;

  constructor(context: ReconcileContext, applications: ApplicationService, resources: ResourceService) {
    this.#context = context;
    this.#applications = applications;
    this.#resources = resources;
    this.#cache = new InspectionCache(
      (application, options) => inspectApplication(application, context, options),
      () => context.clock.steady(),
    );
  }

  /** At most some seconds old. */
  inspect(application: KubeObject, options: InspectOptions = {}): Promise<Inspection> {
    return this.#cache.get(application, options);
  }

  /**
   * What it would be if its repository held the files of an archive (tar, gzip); the checksum is the SHA-256 of that.
   */
  async inspectFiles(application: KubeObject, archive: Buffer, checksum: string): Promise<Inspection> {
    const found = createHash('sha256').update(archive).digest('hex');
    if (found !== checksum)
      throw new Fault('VALUE_INVALID', `file checksum validation error: calc ${found} sent ${checksum}`);
    const files = { tree: await archiveTree(archive), isForeign: true };
    const manifests = await renderLocalManifests(application, files, this.#context);
    return inspectApplication(application, this.#context, { manifests });
  }

  /** The values of its charts, each with the file and line that set it. */
  values(application: KubeObject): Promise<ValuesResponse> {
    return valuesOf(application, this.#context);
  }

  /** What can be set in the source of an application. */
  sourceDetails(application: KubeObject): Promise<JsonObject> {
    return sourceDetails(application, this.#context);
  }

  /** What a server-side apply of these manifests would change; without manifests, of those in git. */
  serverSideDiff(application: KubeObject, manifests: readonly string[]): Promise<PredictedDiff[]> {
    return serverSideDiff(application, manifests, this.#context);
  }

  /** Each difference with its owner and what to do about it. */
  drift(application: KubeObject): Promise<DriftResponse> {
    return driftOf(application, this.inspect(application), {
      cluster: this.#context.cluster,
      siblings: this.#applications.list(),
    });
  }

  /** The steps of a sync in order. */
  waves(application: KubeObject, options: InspectOptions): Promise<WavesResponse> {
    return wavesOf(this.inspect(application, options));
  }

  /** Why it is not Synced and Healthy, the most telling reason first. */
  reasons(application: KubeObject): Promise<string[]> {
    return reasonsOf(application, () => this.#resources.tree(application));
  }
}
