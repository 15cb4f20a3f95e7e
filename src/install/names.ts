import type { JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import type { InstallValues } from './values.js';

export const CONTROLLER = 'argosy-controller';
export const SERVER = 'argosy-server';
export type ComponentName = typeof CONTROLLER | typeof SERVER;

/** The ConfigMap that says with which values an installation was made. */
export const RECORD = 'argosy-installation';

/** By this label of every object `uninstall` finds what belongs to the installation of a namespace. */
export const INSTALLATION_LABEL = 'argosy.dev/installation';

/** What every object is made of: the values, and where and in which version it is installed. */
export interface Installation {
  readonly values: InstallValues;
  readonly namespace: string;
  /** Of Argosy, such as 1.2.3. */
  readonly version: string;
}

export function labelsOf({ namespace, version }: Installation, component?: ComponentName): Record<string, string> {
  return {
    ...(component === undefined ? {} : { 'app.kubernetes.io/name': component }),
    'app.kubernetes.io/part-of': 'argosy',
    'app.kubernetes.io/version': version,
    [INSTALLATION_LABEL]: namespace,
  };
}

/** What selects the pods of a component; it never changes, since selectors cannot. */
export function selectorOf({ namespace }: Installation, component: ComponentName): Record<string, string> {
  return { 'app.kubernetes.io/name': component, [INSTALLATION_LABEL]: namespace };
}

/** An object in the namespace of the installation. */
export function objectOf(
  installation: Installation,
  [apiVersion, kind, name]: readonly [apiVersion: string, kind: string, name: string],
  rest: JsonObject,
  component?: ComponentName,
): KubeObject {
  const { namespace } = installation;
  return { apiVersion, kind, metadata: { name, namespace, labels: labelsOf(installation, component) }, ...rest };
}

/** Names of objects without a namespace end in that of the installation, so that there may be several. */
export function clusterName({ namespace }: Installation, component: ComponentName): string {
  return `${component}-${namespace}`;
}

/** The names by which pods of the cluster reach the server. */
export function serverHosts({ namespace, values }: Installation): string[] {
  const inside = [
    SERVER,
    `${SERVER}.${namespace}`,
    `${SERVER}.${namespace}.svc`,
    `${SERVER}.${namespace}.svc.cluster.local`,
  ];
  const outside = [
    ...values.hosts,
    ...(values.ingress.enabled ? [values.ingress.host] : []),
    ...(values.route.enabled && values.route.host !== '' ? [values.route.host] : []),
  ];
  return [...inside, ...outside];
}
