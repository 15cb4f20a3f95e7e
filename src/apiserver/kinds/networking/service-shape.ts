import type { JsonObject } from '../../../model/json/index.js';
import { flag, text, texts } from '../../resources/index.js';

/** Questions about a Service's spec that defaults, validation and allocation all ask. */

export function isHeadless(spec: JsonObject): boolean {
  const addresses = texts(spec, 'clusterIPs');
  return addresses.length === 1 && addresses[0] === 'None';
}

export function needsClusterIP(spec: JsonObject): boolean {
  return text(spec, 'type') !== 'ExternalName';
}

export function needsNodePorts(spec: JsonObject): boolean {
  return ['NodePort', 'LoadBalancer'].includes(text(spec, 'type'));
}

export function allocatesNodePorts(spec: JsonObject): boolean {
  return (
    text(spec, 'type') === 'NodePort' ||
    (text(spec, 'type') === 'LoadBalancer' && flag(spec, 'allocateLoadBalancerNodePorts'))
  );
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return text(spec, 'type') === 'LoadBalancer' && text(spec, 'externalTrafficPolicy') === 'Local';
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return needsNodePorts(spec) || (text(spec, 'type') === 'ClusterIP' && texts(spec, 'externalIPs').length > 0);
}
