import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { idOf, qualifiedName } from '../../model/argo/index.js';
import { follow } from '../../cluster/index.js';
import type { AppSession } from './app-session.js';
import { APPLICATIONS } from '../../model/resources/index.js';

const REFRESH = 'argocd.argoproj.io/refresh';

/** Asks the controller to look again; `hard` also throws away what it remembers of manifests. */
export async function requestRefresh(
  { cluster }: AppSession,
  application: KubeObject,
  level: 'normal' | 'hard',
): Promise<KubeObject> {
  return cluster.patch(APPLICATIONS, idOf(application), {
    type: 'merge',
    body: { metadata: { annotations: { [REFRESH]: level } } },
  });
}

/** Asks, and waits until the controller has looked; gives the Application as it is then. */
export async function refresh(
  session: AppSession,
  application: KubeObject,
  level: 'normal' | 'hard',
  seconds: number,
): Promise<KubeObject> {
  const asked = await requestRefresh(session, application, level);
  const answer = await follow(
    session,
    asked,
    (now) => {
      if (now === undefined) return 'gone';
      return isRefreshing(now) ? undefined : now;
    },
    seconds,
  );
  if (answer === 'gone')
    throw new Fault('APPLICATION_UNKNOWN', `the application ${qualifiedName(idOf(application))} was deleted meanwhile`);
  if (answer === 'timeout')
    throw new Fault(
      'WAIT_TIMED_OUT',
      `no controller refreshed ${qualifiedName(idOf(application))} within ${seconds} s`,
    );
  return answer;
}

export function isRefreshing({ metadata: { annotations = {} } }: KubeObject): boolean {
  return Object.hasOwn(annotations, REFRESH);
}
