import type { KubeObject } from '../model/kubernetes/index.js';
import { APPLICATIONS, type ResourceRef } from '../model/resources/index.js';
import type { Cluster } from './client/index.js';
import { ClusterError } from './transport/index.js';

const WATCH_RETRY_DELAY = 500;

/** A cluster, and the time. */
export interface Following {
  readonly cluster: Cluster;
  /** Calls back after so many milliseconds; what it gives prevents that. */
  after(milliseconds: number, act: () => void): () => void;
}

/** An object as it changes; undefined once it is gone. */
type Decide<T> = (object: KubeObject | undefined) => T | undefined;

/**
 * Follows an object, an Application unless told, until `decide` has an answer; 'timeout' after so many seconds, 0 for
 * never. A connection that ends is opened again, and what happened meanwhile is read.
 */
export async function follow<T>(
  session: Following,
  start: KubeObject,
  decide: Decide<T>,
  seconds: number,
  kind: ResourceRef = APPLICATIONS,
): Promise<T | 'timeout'> {
  const first = decide(start);
  if (first !== undefined) return first;
  const ending = new AbortController();
  const cancel =
    seconds > 0
      ? session.after(seconds * 1000, () => {
          ending.abort();
        })
      : (): void => undefined;
  try {
    return (await watchOn(session, kind, start, decide, ending.signal)) ?? 'timeout';
  } finally {
    cancel();
  }
}

async function watchOn<T>(
  session: Following,
  kind: ResourceRef,
  start: KubeObject,
  decide: Decide<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { namespace = '', name = '' } = start.metadata;
  const id = { namespace, name };
  for (let version = start.metadata.resourceVersion ?? ''; ; ) {
    const answer = await watchOnce(session, kind, id, version, decide, signal);
    if (answer !== undefined || (await isOver(session, signal))) return answer;
    const now = await session.cluster.get(kind, id);
    const decided = decide(now);
    if (decided !== undefined) return decided;
    version = now?.metadata.resourceVersion ?? '';
  }
}

/** One connection; undefined where it ended before there was an answer. */
async function watchOnce<T>(
  { cluster }: Following,
  kind: ResourceRef,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  resourceVersion: string,
  decide: Decide<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  const stop = (): void => {
    done.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  let answer: T | undefined;
  let problem: Error | undefined;
  try {
    await cluster.watch(
      kind,
      { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion },
      {
        event(event) {
          if (event.type === 'BOOKMARK' || answer !== undefined || problem !== undefined) return;
          try {
            answer = decide(event.type === 'DELETED' ? undefined : event.object);
          } catch (error) {
            problem = error instanceof Error ? error : new Error(String(error));
          }
          if (answer !== undefined || problem !== undefined) stop();
        },
      },
      done.signal,
    );
  } catch (error) {
    // A version that is too old, or our own ending; anything else is told.
    if (!done.signal.aborted && !(error instanceof ClusterError && error.isExpired)) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (problem !== undefined) throw problem;
  return answer;
}

/** True when the time is up; else after a rest, so that a server which ends every watch is not asked without pause. */
function isOver(session: Following, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const cancel = session.after(WATCH_RETRY_DELAY, () => {
      resolve(signal.aborted);
    });
    signal.addEventListener(
      'abort',
      () => {
        cancel();
        resolve(true);
      },
      { once: true },
    );
  });
}
