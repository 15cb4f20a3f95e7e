import { ensure, items, text } from '../resources/index.js';
import type { AdmissionPlugin } from '../rest/index.js';
import { isAbout } from './head-lister.js';

const KEY = 'node.kubernetes.io/not-ready';
const EFFECT = 'NoSchedule';

/** A new node takes no pods until something says that it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate(request) {
    if (request.operation !== 'CREATE' || !request.object || !isAbout(request, '', 'nodes')) return;
    const spec = ensure(request.object, 'spec');
    const taints = items(spec, 'taints');
    if (taints.some((taint) => text(taint, 'key') === KEY && text(taint, 'effect') === EFFECT)) return;
    spec.taints = [...taints, { key: KEY, effect: EFFECT }];
  },
};
