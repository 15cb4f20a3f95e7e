import { projectOf } from '../../model/argo/index.js';
import { textAt, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ChartDetails, FoundApplication } from '../../render/index.js';
import type {
  CommitFacts,
  ListedChart,
  RefNames,
  RepositoryEntry,
  RepositorySecretType,
  Sources,
} from '../../source/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { RepositoryWatcher } from '../queue/index.js';
import type { Checkout } from '../triage/index.js';
import type { ApplicationService } from './application-service.js';
import { ConnectionStates } from '../cache/index.js';
import { findCheckouts, readCheckouts, type CheckoutRef } from './checkouts.js';
import { applicationsIn, chartDetailsOf, checkEntry, connectionState } from './repositories.js';

/** The repositories that Secrets describe, and what is in them. */
export class RepositoryService {
  readonly #context: ReconcileContext;
  readonly #applications: ApplicationService;
  readonly #connections: ConnectionStates;

  constructor(context: ReconcileContext, applications: ApplicationService) {
    this.#context = context;
    this.#applications = applications;
    this.#connections = new ConnectionStates(
      (entry) => this.connectionState(entry),
      ({ url, project }) => `${url} ${project} ${this.#sources.accessVersion({ url, project })}`,
      () => context.clock.steady(),
    );
  }

  /** `access` of each holds credentials: never print it. */
  get entries(): readonly RepositoryEntry[] {
    return this.#context.controlPlane.repositories.repositories;
  }

  /** What Secrets of a type describe; `access` of each holds credentials: never print it. */
  entriesOf(type: RepositorySecretType): readonly RepositoryEntry[] {
    return this.#context.controlPlane.repositories.entriesOf(type);
  }

  /**
   * A Fault says why the repository that the Secret describes cannot be opened. Where it names no credentials, those
   * for all repositories below an address count, as they will once it is stored.
   */
  check(secret: KubeObject): Promise<void> {
    return checkEntry(this.#sources, secret, this.#context.controlPlane.repositories);
  }

  connectionState(entry: RepositoryEntry): Promise<JsonObject> {
    return connectionState(this.#sources, entry, this.#context.clock.now().toISOString());
  }

  /**
   * Those of many. A server that answered is not asked again for ten minutes, one that did not for half a minute, and
   * none that is asked already.
   */
  connectionStates(entries: readonly RepositoryEntry[], isForced: boolean): Promise<JsonObject[]> {
    return Promise.all(entries.map((entry) => this.#connections.of(entry, isForced)));
  }

  refsOf({ url, project }: RepositoryEntry): Promise<RefNames> {
    return this.#sources.refs({ url, project });
  }

  /** Charts and kustomizations of a repository, by folder. */
  applicationsIn(entry: RepositoryEntry, revision: string): Promise<FoundApplication[]> {
    return applicationsIn(this.#sources, entry, revision);
  }

  chartsIn({ url, project }: RepositoryEntry): Promise<readonly ListedChart[]> {
    return this.#sources.listCharts({ url, project });
  }

  /** The metadata of the chart that a source of the application names, at a version. */
  chartDetails(application: KubeObject, source: JsonObject, version: string): Promise<ChartDetails> {
    return chartDetailsOf(this.#sources, source, projectOf(application), version);
  }

  /** Author, date and message of a commit. */
  describeRevision(application: KubeObject, source: JsonObject, revision: string): Promise<CommitFacts> {
    return this.#sources.describe({ url: textAt(source, 'repoURL'), project: projectOf(application) }, revision);
  }

  /** The repositories of all applications at their newest commits. */
  checkouts(): Promise<CheckoutRef[]> {
    return findCheckouts(this.#applications.list(), this.#sources);
  }

  readCheckouts(refs: readonly CheckoutRef[]): Promise<Checkout[]> {
    return readCheckouts(refs, this.#sources);
  }

  /** Calls back with the listeners of a repository that changed; the caller closes it. */
  watch(changed: (listeners: readonly string[]) => void): RepositoryWatcher {
    return new RepositoryWatcher(this.#sources, changed);
  }

  get #sources(): Sources {
    return this.#context.renderer.sources;
  }
}
