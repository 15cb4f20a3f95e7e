import { objectAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { containersOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { intendedName } from '../ghosts.js';
import { change, fact, leaf } from '../make-finding.js';
import { servicePorts } from '../pods/host-faults.js';
import { type ConfigRoute, distinctParts, likeness, routeFiles, routeSettings, routesIn } from './config-routes.js';

/** Registered by kind. */
export const GATEWAY_FILE_RULES: RuleTable = {
  '/ConfigMap': [gatewayFileRules],
  'apps/Deployment': [gatewaySettingRules],
  'apps/StatefulSet': [gatewaySettingRules],
};

/** More wrong routes of one file are one mistake. */
const MAX_ROUTES = 3;

/** Routes of a gateway that is configured with a file: to what does not exist, or to the Service of another route. */
function gatewayFileRules(node: Node, graph: Graph): readonly Finding[] {
  return routeFiles(node.object).flatMap(([key, text]) => {
    const routes = routesIn(text);
    const named = routes.length === 0 ? undefined : readerOf(node, graph);
    const user = named ?? (routes.length === 0 ? undefined : readerByName(node, text, graph));
    if (user === undefined) return [];
    return wrongRoutes(routes, { node, user, isRead: named !== undefined, field: `data['${key}']`, graph });
  });
}

/** The same of a gateway whose routes stand in its variables or arguments. */
function gatewaySettingRules(node: Node, graph: Graph): readonly Finding[] {
  if (graph.owner(node) !== undefined) return [];
  const path = 'spec.template.spec';
  return containersOf(objectAt(node.object, 'spec', 'template', 'spec'), path).flatMap(({ container, path: where }) =>
    routeSettings(container, where).flatMap(([field, text]) =>
      wrongRoutes(routesIn(text), { node, user: node, isRead: true, field, graph }),
    ),
  );
}

function wrongRoutes(routes: readonly ConfigRoute[], place: Place): Finding[] {
  return routes
    .flatMap(
      (route) =>
        wrongTarget(route, place) ??
        elsewhere(route, routes, place) ??
        wrongService(route, routes, place) ??
        takenPath(route, routes, place) ??
        [],
    )
    .slice(0, MAX_ROUTES);
}

interface Place {
  readonly node: Node;
  readonly user: Node;
  /** A field of the workload names the file; else the program asks the API server for it by its own name. */
  readonly isRead: boolean;
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

const OF_SETTINGS = /(?:^|-)(?:config(?:map)?|cm|conf|routes?|settings|application|properties)(?=-|$)/g;

/**
 * The workload that a file is for by its names: Spring Cloud Kubernetes and others read a ConfigMap from the API server
 * that is called as the program is.
 */
function readerByName({ key }: Node, text: string, graph: Graph): Node | undefined {
  const workloads = ['Deployment', 'StatefulSet'].flatMap((kind) =>
    graph.store.inNamespace('apps', kind, key.namespace),
  );
  const program =
    /^[ \t]*application:[ \t]*\n[ \t]*name:[ \t]*["']?([\w-]+)|spring\.application\.name[ \t]*=[ \t]*([\w-]+)/m.exec(
      text,
    );
  const about = key.name.replaceAll(OF_SETTINGS, '').replace(/^-|-$/g, '');
  const cores = distinctParts(workloads.map(({ key: each }) => each.name));
  return (
    workloads.find(({ key: { name } }) => name === (program?.[1] ?? program?.[2]) || name === key.name) ??
    workloads.find(({ key: { name } }) => about !== '' && (name === about || cores.get(name) === about))
  );
}

/** The Service of a target; undefined for a host outside of the cluster. */
function serviceFor({ host }: ConfigRoute, { node, graph }: Place): Node | undefined {
  const [name = '', namespace = node.key.namespace, ...rest] = host.split('.');
  if (rest.length > 0 && rest[0] !== 'svc') return undefined;
  return graph.store.refer({ group: '', kind: 'Service', namespace, name });
}

function wrongTarget(route: ConfigRoute, place: Place): Finding | undefined {
  const { graph, node } = place;
  const service = isItself(route) ? undefined : serviceFor(route, place);
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

/** The pod itself, such as a container beside the gateway. */
function isItself({ host }: ConfigRoute): boolean {
  return host === 'localhost' || /^127\./.test(host);
}

/**
 * A route that leads out of the namespace, in a file whose other routes all lead to Services beside it, although there
 * is a Service that it is named after.
 */
function elsewhere(route: ConfigRoute, routes: readonly ConfigRoute[], place: Place): Finding | undefined {
  const isHere = (each: ConfigRoute): boolean => {
    const service = isItself(each) ? undefined : serviceFor(each, place);
    return service?.state === 'present' && service.key.namespace === place.node.key.namespace;
  };
  if (isHere(route) || routes.length < MIN_ROUTES || !routes.every((each) => each === route || isHere(each)))
    return undefined;
  const { fit, bestOf } = namesOf(place);
  const best = bestOf(route.words);
  if (best === undefined || fit(route.words, best) < NAMED_AFTER) return undefined;
  return misrouted(place, route, `${route.host} instead of Service ${place.node.key.namespace}/${best}`, true);
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
  const { services, fit, bestOf } = namesOf(place);
  const best = bestOf(route.words);
  const target = route.host.split('.')[0] ?? '';
  if (best === undefined || best === target || !services.includes(target)) return undefined;
  if (fit(route.words, best) < NAMED_AFTER || fit(route.words, target) >= fit(route.words, best)) return undefined;
  const usual = routes.filter((each) => bestOf(each.words) === each.host.split('.')[0]).length;
  const isHabit = routes.length >= MIN_ROUTES && usual >= HABIT * routes.length;
  // A file with a few routes has no habit: then name and path must both mean the one, and neither the other.
  const isMeant = [route.nameWords, route.pathWords].every(
    (words) => bestOf(words) === best && fit(words, best) >= NAMED_AFTER && fit(words, target) < NAMED_AFTER / 2,
  );
  // A route that has the very name of a Service means that one; what only resembles it needs the habit of the file.
  return isHabit || isMeant || route.text === best
    ? misrouted(place, route, `Service ${place.node.key.namespace}/${target} instead of ${best}`, !isHabit)
    : undefined;
}

/** Of two routes with the same path the first gets all requests: the one that is named otherwise took the path. */
function takenPath(route: ConfigRoute, routes: readonly ConfigRoute[], place: Place): Finding | undefined {
  const other = routes.find(
    (each) => each !== route && each.host !== route.host && each.paths.some((path) => route.paths.includes(path)),
  );
  if (other === undefined) return undefined;
  const { fit } = namesOf(place);
  const [own, others] = [route, other].map(({ host, pathWords }) => fit(pathWords, host.split('.')[0] ?? ''));
  return (others ?? 0) >= NAMED_AFTER && (own ?? 0) < NAMED_AFTER / 2
    ? misrouted(place, route, `${route.host} with the path ${route.paths[0] ?? ''} of route ${other.text}`, true)
    : undefined;
}

interface ServiceNames {
  readonly services: readonly string[];
  fit(words: readonly string[], name: string): number;
  /** The Service that words mean most likely. */
  bestOf(words: readonly string[]): string | undefined;
}

function namesOf({ node, graph }: Place): ServiceNames {
  return graph.once(`names of Services in ${node.key.namespace}`, () => {
    const services = graph.store.inNamespace('', 'Service', node.key.namespace).map(({ key }) => key.name);
    const cores = distinctParts(services);
    const fit = (words: readonly string[], name: string): number => likeness(words, name, cores.get(name) ?? name);
    return {
      services,
      fit,
      bestOf: (words) =>
        services.reduce<string | undefined>(
          (best, name) => (fit(words, name) > (best === undefined ? 0 : fit(words, best)) ? name : best),
          undefined,
        ),
    };
  });
}

function misrouted(place: Place, route: ConfigRoute, to: string, isLead: boolean): Finding {
  const { node, user, isRead, field, graph } = place;
  return leaf('G13', user, 'serve', `route ${route.text} of ${nodeText(user)} leads to ${to}`, {
    blamed: node,
    field,
    signature: `route ${route.text} of ${node.id}`,
    ...(isLead || !isRead ? { suspect: true } : {}),
    evidence: [
      fact(node, field, `${route.text}: ${route.host}${route.port === undefined ? '' : `:${route.port}`}`),
      ...(user === node
        ? []
        : [fact(user, 'spec.template.spec', isRead ? `reads ${nodeText(node)}` : `is called as ${nodeText(node)}`)]),
    ],
    fix: change(node, graph, `correct the target of route ${route.text}, then restart ${nodeText(user)}`),
  });
}
