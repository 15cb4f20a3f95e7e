import type { Overrides } from '../../health/index.js';
import type { Settings } from '../../model/settings/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import type { ChangeFeed } from './change-feed.js';
import { deepLinks, type DeepLink, type LinkData, type LinkSubject } from './deep-links.js';
import { notificationNames, type NotificationNames } from './notification-names.js';

/** The ConfigMaps that hold settings, and what is configured by them. */
export class SettingsService {
  readonly #context: ReconcileContext;
  readonly #changes: ChangeFeed;

  constructor(context: ReconcileContext, changes: ChangeFeed) {
    this.#context = context;
    this.#changes = changes;
  }

  get current(): Settings {
    return this.#context.controlPlane.settings;
  }

  /** Health checks and actions of argocd-cm. */
  get overrides(): Overrides {
    return this.#context.controlPlane.overrides;
  }

  /** Settings that are ignored, each with the reason. */
  get problems(): readonly string[] {
    const { problems, clusterProblems, repositories } = this.#context.controlPlane;
    return [...problems, ...clusterProblems, ...repositories.problems];
  }

  /** Names of the config management plugins of an administrator. */
  get plugins(): readonly string[] {
    const { tools } = this.#context.renderer;
    return tools?.names.filter((name) => /\.ya?ml$/.test(tools.pathOf(name))) ?? [];
  }

  /** The data of one of the ConfigMaps that hold settings, such as argocd-cm. */
  configMapData(name: string): ReadonlyMap<string, string> {
    return this.#context.controlPlane.configMapData(name);
  }

  /** A project, a setting, a repository or a cluster changed. */
  onChange(listener: () => void): () => void {
    return this.#changes.settings.subscribe(listener);
  }

  /** Names of the configured notification services, templates and triggers. */
  notificationNames(): Promise<NotificationNames> {
    return notificationNames(this.#context.cluster, this.#context.controlNamespace);
  }

  /** The links of argocd-cm for these objects. */
  deepLinks(subject: LinkSubject, data: LinkData): DeepLink[] {
    return deepLinks(this.configMapData('argocd-cm'), subject, data, this.#context.renderer.host, (problem) => {
      this.#context.log.warn(problem);
    });
  }
}
