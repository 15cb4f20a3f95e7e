import type { KubeObject } from '../../model/kubernetes/index.js';
import { invalid } from '../errors/index.js';
import { count, items, maybe, texts } from '../resources/index.js';
import { allocateServiceAddresses, needsServiceAddresses, type ServiceNetwork } from '../kinds/index.js';
import { keyFor, prefixOf, type RestContext, type AdmissionPlugin } from '../rest/index.js';
import type { Stored } from '../store/index.js';
import { isAbout } from './head-lister.js';

/** The ranges of a kube-apiserver that is started without a word about them. */
const SERVICE_NETWORK: ServiceNetwork = { cidr: '10.0.0.0/24', nodePorts: [30000, 32767] };

interface Held {
  readonly clusterIPs: readonly string[];
  readonly nodePorts: readonly number[];
}

/** Gives services their cluster IPs and node ports; two services never share one. */
export function serviceAddresses(context: RestContext): AdmissionPlugin {
  const known = new WeakMap<Stored, Held>();
  return {
    name: 'ServiceAddresses',
    prepare(request) {
      const { object, old, type } = request;
      if (!object || !isAbout(request, '', 'services') || !needsServiceAddresses(object)) return;
      const own = keyFor(type, request.namespace, request.name);
      const taken = takenIn(
        context.store.heads(prefixOf(type)).filter(({ key }) => key !== own),
        known,
      );
      const errors = allocateServiceAddresses(object, old, taken, SERVICE_NETWORK);
      if (errors.length > 0) throw invalid(type, request.name, errors);
    },
  };
}

function takenIn(
  services: readonly Stored[],
  known: WeakMap<Stored, Held>,
): { clusterIPs: Set<string>; nodePorts: Set<number> } {
  const clusterIPs = new Set<string>();
  const nodePorts = new Set<number>();
  for (const stored of services) {
    let held = known.get(stored);
    if (!held) known.set(stored, (held = heldBy(stored.object)));
    for (const address of held.clusterIPs) clusterIPs.add(address);
    for (const port of held.nodePorts) nodePorts.add(port);
  }
  return { clusterIPs, nodePorts };
}

function heldBy(service: KubeObject): Held {
  const spec = maybe(service, 'spec');
  const ports = [...items(spec, 'ports').map((port) => count(port, 'nodePort')), count(spec, 'healthCheckNodePort')];
  return {
    clusterIPs: texts(spec, 'clusterIPs').filter((address) => address !== 'None'),
    nodePorts: ports.filter((port) => port !== 0),
  };
}
