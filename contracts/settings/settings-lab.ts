import { pollDelays } from '../harness/poll-delays.js';
import type { Cluster } from '../../src/cluster/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  connectCluster,
  startInProcessController,
  type InProcessController,
} from '../harness/in-process-controller.js';
import { ARGOCDS, CONFIG_MAPS, EVENTS, NAMESPACES } from '../../src/model/resources/index.js';

const WITHIN = 15_000;

/** A server and our controller in this process. */
export class SettingsLab {
  private constructor(
    readonly cluster: Cluster,
    readonly kubeconfig: string,
    private running: InProcessController,
  ) {}

  static async open(kubeconfig: string): Promise<SettingsLab> {
    const cluster = await connectCluster(kubeconfig);
    return new SettingsLab(
      cluster,
      kubeconfig,
      await startInProcessController({ kubeconfigPath: kubeconfig, namespace: 'argocd' }),
    );
  }

  get controller(): InProcessController {
    return this.running;
  }

  /** Another life of the controller; `meanwhile` happens while there is none. */
  async restart(meanwhile: () => Promise<void>): Promise<void> {
    await this.running.stop();
    await meanwhile();
    this.running = await startInProcessController({ kubeconfigPath: this.kubeconfig, namespace: 'argocd' });
  }

  async close(): Promise<void> {
    await this.running.stop();
    await this.cluster.close();
  }

  async namespace(name: string): Promise<string> {
    await this.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  argocd(namespace: string, name: string, spec: JsonObject): Promise<KubeObject> {
    return this.cluster.create(ARGOCDS, {
      apiVersion: 'argoproj.io/v1beta1',
      kind: 'ArgoCD',
      metadata: { namespace, name },
      spec,
    });
  }

  async change(namespace: string, name: string, spec: JsonObject): Promise<void> {
    await this.cluster.patch(ARGOCDS, { namespace, name }, { type: 'merge', body: { spec } });
  }

  map(namespace: string, name = 'argocd-cm'): Promise<KubeObject | undefined> {
    return this.cluster.get(CONFIG_MAPS, { namespace, name });
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end)
        throw new Error(`never: ${what}; the controller said:\n${this.running.log.slice(-20).join('\n')}`);
    }
  }

  /** Waits until a ConfigMap holds exactly this. */
  untilData(namespace: string, data: Readonly<Record<string, string>>, name = 'argocd-cm'): Promise<KubeObject> {
    return this.until(`${name} of ${namespace} holds ${JSON.stringify(data)}`, async () => {
      const map = await this.map(namespace, name);
      return map !== undefined && isSame(map.data, data) && map;
    });
  }

  /** Waits for a condition of an ArgoCD object about its newest spec; gives its message. */
  untilCondition(
    namespace: string,
    name: string,
    type: string,
    wanted: { readonly status: string; readonly reason?: string },
  ): Promise<string> {
    return this.until(`${type} of ${namespace}/${name} is ${JSON.stringify(wanted)}`, async () => {
      const argocd = await this.cluster.get(ARGOCDS, { namespace, name });
      const condition = conditionsOf(argocd).find((each) => each.type === type);
      const isIt =
        condition?.status === wanted.status &&
        (wanted.reason === undefined || condition.reason === wanted.reason) &&
        condition.observedGeneration === argocd?.metadata.generation;
      return isIt && String(condition.message);
    });
  }

  /** What Events of a reason say about an object. */
  async events(namespace: string, reason: string, name = 'argocd-cm'): Promise<string[]> {
    const { items } = await this.cluster.list(EVENTS, { namespace });
    return items
      .filter(
        (event) => event.reason === reason && isObject(event.involvedObject) && event.involvedObject.name === name,
      )
      .map(({ message }) => String(message));
  }
}

export function isSame(data: Json | undefined, wanted: Readonly<Record<string, string>>): boolean {
  const found = isObject(data) ? data : {};
  return (
    Object.keys(found).length === Object.keys(wanted).length &&
    Object.entries(wanted).every(([key, value]) => own(found, key) === value)
  );
}

function conditionsOf(argocd: KubeObject | undefined): JsonObject[] {
  const status = isObject(argocd?.status) ? argocd.status : {};
  return isArray(status.conditions) ? status.conditions.filter(isObject) : [];
}
