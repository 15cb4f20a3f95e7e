import type { Cluster } from '../../cluster/index.js';
import { idOf } from '../../model/argo/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import type { Logger } from '../../model/logging/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import { onSetAside, workName } from '../../net/containment/index.js';
import type { ReconcileContext } from '../delivery/index.js';

/** Says at an Application that it broke the process twice, so that it is not reconciled until it changes. */
export function reportSetAside(
  context: ReconcileContext,
  { cluster, log, isReadOnly }: { readonly cluster: Cluster; readonly log: Logger; readonly isReadOnly: boolean },
): { close(): void } {
  return onSetAside(({ name, why }) => {
    const object = context.controlPlane.applications().find((one) => workName(APPLICATIONS, one) === name);
    if (object === undefined) return;
    const message = `it is not reconciled until it changes, because it broke the process twice: ${why}`;
    log.error(`set aside: ${message}`, { app: `${idOf(object).namespace}/${idOf(object).name}` });
    if (isReadOnly) return;
    context.events.record(object, 'SetAside', message, 'Warning');
    const found = isObject(object.status) ? object.status.conditions : undefined;
    const others = isArray(found) ? found.filter((each) => isObject(each) && each.type !== 'UnknownError') : [];
    cluster
      .patch(APPLICATIONS, idOf(object), {
        type: 'merge',
        body: { status: { conditions: [...others, { type: 'UnknownError', message }] } },
      })
      .catch((error: unknown) => {
        log.error('an application that is set aside could not be marked', { error });
      });
  });
}
