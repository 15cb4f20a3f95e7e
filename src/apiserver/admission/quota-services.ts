import { quantityOf, type KubeObject } from '../../model/kubernetes/index.js';
import { count, items, sub, text } from '../resources/index.js';
import type { Measure } from './quota-measure.js';

export function serviceMeasure(service: KubeObject): Measure {
  const spec = sub(service, 'spec');
  const type = text(spec, 'type');
  const ports = items(spec, 'ports');
  const balanced = type === 'LoadBalancer';
  // Node ports are counted by intent: admission sees a service before they are given out.
  const asked =
    balanced && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter((port) => count(port, 'nodePort') !== 0)
      : ports;
  const usage = new Map([
    ['count/services', quantityOf(1)],
    ['services', quantityOf(1)],
    ['services.loadbalancers', quantityOf(balanced ? 1 : 0)],
    ['services.nodeports', quantityOf(balanced || type === 'NodePort' ? asked.length : 0)],
  ]);
  return { usage: () => usage, matches: () => false };
}
