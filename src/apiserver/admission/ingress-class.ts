import { ensure, has } from '../resources/index.js';
import type { AdmissionPlugin } from '../rest/index.js';
import { defaultClass } from './default-class.js';
import { isAbout, type HeadLister } from './head-lister.js';

const GROUP = 'networking.k8s.io';

/** An Ingress without a class gets the default one. */
export function defaultIngressClass(newest: HeadLister): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate(request) {
      const { object, operation } = request;
      if (!object || operation !== 'CREATE' || !isAbout(request, GROUP, 'ingresses')) return;
      const spec = ensure(object, 'spec');
      if (has(spec, 'ingressClassName') || object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined)
        return;
      const found = defaultClass(newest.list([GROUP, 'ingressclasses']), [
        'ingressclass.kubernetes.io/is-default-class',
      ]);
      if (found) spec.ingressClassName = found.metadata.name;
    },
  };
}
