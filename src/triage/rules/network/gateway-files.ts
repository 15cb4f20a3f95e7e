import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { intendedName } from '../ghosts.js';
import { change, fact, leaf } from '../make-finding.js';
import { servicePorts } from '../pods/host-faults.js';
import { type ConfigRoute, distinctParts, likeness, routeFiles, routesIn } from './config-routes.js';

/** Registered by kind. */
export const GATEWAY_FILE_RULES: RuleTable = {
  '/ConfigMap': [gatewayFileRules],
};

/** More wrong routes of one file are one mistake. */
const MAX_ROUTES = 3;

/** Routes of a gateway that is configured with a file: to what does not exist, or to the Service of another route. */
function gatewayFileRules(node: Node, graph: Graph): readonly Finding[] {
  return routeFiles(node.object).flatMap(([key, text]) => {
    const routes = routesIn(text);
    const user = routes.length === 0 ? undefined : readerOf(node, graph);
    if (user === undefined) return [];
    const place: Place = { node, user, field: `data['${key}']`, graph };
    return routes
      .flatMap((route) => wrongTarget(route, place) ?? wrongService(route, routes, place) ?? [])
      .slice(0, MAX_ROUTES);
  });
}

interface Place {
  readonly node: Node;
  readonly user: Node;
  readonly field: string;
  readonly graph: Graph;
}

/** The workload that runs with the file. */
function readerOf(node: Node, graph: Graph): Node | undefined {
  const { namespace } = node.key;
  const reads = (user: Node): boolean => graph.edges(user).some(({ to }) => to.id === node.id);
  const workload = ['Deployment', 'StatefulSet', 'DaemonSet']
    .flatMap((kind) => graph.store.inNamespace('apps', kind, namespace))
    .find(reads);
  const pod = workload === undefined ? graph.store.inNamespace('', 'Pod', namespace).find(reads) : undefined;
  return workload ?? (pod === undefined ? undefined : graph.top(pod));
}

/** The Service of a target; undefined for a host outside of the cluster. */
function serviceFor({ host }: ConfigRoute, { node, graph }: Place): Node | undefined {
  const [name = '', namespace = node.key.namespace, ...rest] = host.split('.');
  if (rest.length > 0 && rest[0] !== 'svc') return undefined;
  return graph.store.refer({ group: '', kind: 'Service', namespace, name });
}

function wrongTarget(route: ConfigRoute, place: Place): Finding | undefined {
  const { graph, node } = place;
  const service = serviceFor(route, place);
  if (service === undefined) return undefined;
  if (service.state === 'ghost') {
    const near = intendedName(service, graph);
    if (route.isRegistered && isWorkload(route.host, node, graph)) return undefined;
    return misrouted(
      place,
      route,
      `${nodeText(service)}, which does not exist${near === undefined ? '' : `; did you mean ${near}?`}`,
      near === undefined && (route.isRegistered || service.key.namespace !== node.key.namespace),
    );
  }
  const ports = servicePorts(service);
  return route.port === undefined || ports.length === 0 || ports.includes(route.port) || isHeadless(service)
    ? undefined
    : misrouted(place, route, `port ${route.port} of ${nodeText(service)}, which exposes ${ports.join(', ')}`, false);
}

/** A registry knows workloads by their own names, with or without a Service. */
function isWorkload(name: string, { key }: Node, graph: Graph): boolean {
  return ['Deployment', 'StatefulSet'].some(
    (kind) => graph.store.get({ group: 'apps', kind, namespace: key.namespace, name })?.object !== undefined,
  );
}

function isHeadless({ object }: Node): boolean {
  return textAt(object, 'spec', 'clusterIP') === 'None';
}

/** So much of a file must keep the habit that a route is named like its Service, for an exception to be a mistake. */
const HABIT = 0.7;
const MIN_ROUTES = 4;
/** So alike are a route and the Service that it is named after. */
const NAMED_AFTER = 0.75;

/** A route that is named like one Service and leads to another, in a file whose routes lead where their names say. */
function wrongService(route: ConfigRoute, routes: readonly ConfigRoute[], place: Place): Finding | undefined {
  const services = place.graph.store.inNamespace('', 'Service', place.node.key.namespace).map(({ key }) => key.name);
  const cores = distinctParts(services);
  const fit = (each: ConfigRoute, name: string): number => likeness(each, name, cores.get(name) ?? name);
  const bestOf = (each: ConfigRoute): string | undefined =>
    services.reduce<string | undefined>(
      (best, name) => (fit(each, name) > (best === undefined ? 0 : fit(each, best)) ? name : best),
      undefined,
    );
  const best = bestOf(route);
  const target = route.host.split('.')[0] ?? '';
  if (best === undefined || best === target || !services.includes(target)) return undefined;
  if (fit(route, best) < NAMED_AFTER || fit(route, target) >= fit(route, best)) return undefined;
  const usual = routes.filter((each) => bestOf(each) === each.host.split('.')[0]).length;
  const isHabit = routes.length >= MIN_ROUTES && usual >= HABIT * routes.length;
  // A route that has the very name of a Service means that one; what only resembles it needs the habit of the file.
  return isHabit || route.text === best
    ? misrouted(place, route, `Service ${place.node.key.namespace}/${target} instead of ${best}`, !isHabit)
    : undefined;
}

function misrouted(place: Place, route: ConfigRoute, to: string, isLead: boolean): Finding {
  const { node, user, field, graph } = place;
  return leaf('G13', user, 'serve', `route ${route.text} of ${nodeText(user)} leads to ${to}`, {
    blamed: node,
    field,
    signature: `route ${route.text} of ${node.id}`,
    ...(isLead ? { suspect: true } : {}),
    evidence: [
      fact(node, field, `${route.text}: ${route.host}${route.port === undefined ? '' : `:${route.port}`}`),
      fact(user, 'spec.template.spec', `reads ${nodeText(node)}`),
    ],
    fix: change(node, graph, `correct the target of route ${route.text}, then restart ${nodeText(user)}`),
  });
}
