import { own, put } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, flag, has, number, sub, text } from '../resources/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';
import { isAbout, type HeadLister } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';

const GROUP = 'scheduling.k8s.io';
const PLURAL = 'priorityclasses';

/** Resolves a pod's priority class to numbers, and keeps at most one default class. */
export function podPriority(newest: HeadLister): AdmissionPlugin {
  return {
    name: 'Priority',
    mutate(request) {
      const { object, old, operation } = request;
      if (!object || !isAbout(request, '', 'pods')) return;
      if (operation === 'CREATE') return setPriority(request, object, newest);
      const [spec, before] = [ensure(object, 'spec'), sub(old, 'spec')];
      for (const field of ['priority', 'preemptionPolicy'])
        if (!has(spec, field) && has(before, field)) put(spec, field, own(before, field));
    },
    validate(request) {
      const { object, operation } = request;
      if (!object || !isAbout(request, GROUP, PLURAL) || !flag(object, 'globalDefault')) return;
      const known = defaultClass(newest);
      if (known === undefined || (operation === 'UPDATE' && known.metadata.name === object.metadata.name)) return;
      throw admissionForbidden(
        request,
        `PriorityClass ${known.metadata.name ?? ''} is already marked as default. Only one default can exist`,
      );
    },
  };
}

function setPriority(request: AdmissionRequest, pod: KubeObject, newest: HeadLister): void {
  const spec = ensure(pod, 'spec');
  const name = text(spec, 'priorityClassName');
  const found = name === '' ? defaultClass(newest) : newest.get([GROUP, PLURAL], '', name);
  if (name !== '' && !found) throw admissionForbidden(request, `no PriorityClass with name ${name} was found`);
  if (found && name === '') spec.priorityClassName = found.metadata.name;
  const priority = found ? (number(found, 'value') ?? 0) : 0;
  const given = number(spec, 'priority');
  if (given !== undefined && given !== priority) {
    throw admissionForbidden(
      request,
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission ` +
        `controller computed ${priority} from the given PriorityClass name`,
    );
  }
  spec.priority = priority;
  const policy = found ? text(found, 'preemptionPolicy') : 'PreemptLowerPriority';
  if (policy === '') return;
  const asked = own(spec, 'preemptionPolicy');
  if (typeof asked === 'string' && asked !== policy) {
    throw admissionForbidden(
      request,
      `the string value of PreemptionPolicy (${asked}) must not be provided in pod spec; priority admission ` +
        `controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = policy;
}

/** The lowest of the default classes: two can exist only by a race. */
function defaultClass(newest: HeadLister): KubeObject | undefined {
  const classes = newest.list([GROUP, PLURAL]).filter((each) => flag(each, 'globalDefault'));
  return classes.sort((a, b) => (number(a, 'value') ?? 0) - (number(b, 'value') ?? 0))[0];
}
