import { onSetAside, workName } from '../../net/containment/index.js';
import { conditionsOf, type Controller, type ControllerHost, withCondition } from '../controller-runtime/index.js';
import { maybe } from '../resources/index.js';
import { timestamp } from '../rest/index.js';

const REASON = 'SetAside';

/** Says at an object that it broke the process twice, so that nothing works on it until it changes. */
export const setAsideReporter: Controller = {
  name: 'argosy',
  start(host) {
    return onSetAside(({ name, why }) => {
      report(host, name, why).catch((error: unknown) => {
        host.log.error('an object that is set aside could not be marked', { object: name, error });
      });
    });
  },
};

async function report({ client, clock, log }: ControllerHost, broken: string, why: string): Promise<void> {
  const [kind = '', place = ''] = broken.split(' ');
  const [plural = '', ...group] = kind.split('.');
  const of = { group: group.join('.'), plural };
  const [name = '', namespace = ''] = place.split('/').reverse();
  const object = client.get(of, namespace, name);
  if (object === undefined || workName(of, object) !== broken) return;
  const message = `nothing works on it until it changes, because it broke the process twice: ${why}`;
  log.error(`set aside: ${message}`, { object: `${plural} ${place}` });
  client.event(object, 'Warning', REASON, message, 'argosy');
  if (kind !== 'pods') return;
  const condition = {
    type: 'argosy.dev/SetAside',
    status: 'True',
    reason: REASON,
    message,
    lastTransitionTime: timestamp(clock.now()),
  };
  await client.edit(
    of,
    namespace,
    name,
    (copy) => {
      copy['status'] = { ...maybe(copy, 'status'), conditions: withCondition(conditionsOf(copy), condition) };
    },
    'status',
  );
}
