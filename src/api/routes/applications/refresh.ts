import { idOf } from '../../../model/argo/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../http/index.js';
import type { ReadServices } from '../../route/index.js';

const REFRESH = 'argocd.argoproj.io/refresh';
/** A client that waits longer than this has been forgotten by a proxy. */
const REFRESH_TIMEOUT = 60_000;

/** Requests a refresh and waits until a controller has done it. */
export async function refreshApplication(
  application: KubeObject,
  level: 'normal' | 'hard',
  services: ReadServices,
  signal: AbortSignal,
): Promise<KubeObject> {
  const id = idOf(application);
  await services.applications.requestRefresh(id, level);
  return waitUntil(services, signal, REFRESH_TIMEOUT, () => {
    const now = services.applications.find(id.namespace, id.name);
    if (now === undefined || now.metadata.uid !== application.metadata.uid)
      throw new ApiError('NotFound', `applications.argoproj.io "${id.name}" not found`);
    return isRefreshing(now) ? undefined : now;
  });
}

function isRefreshing({ metadata: { annotations = {} } }: KubeObject): boolean {
  return Object.hasOwn(annotations, REFRESH);
}

function waitUntil<T>(
  services: ReadServices,
  signal: AbortSignal,
  within: number,
  read: () => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      stop();
      cancel();
      act();
    };
    const check = (): void => {
      try {
        const found = read();
        if (found !== undefined)
          end(() => {
            resolve(found);
          });
      } catch (error) {
        end(() => {
          reject(error instanceof Error ? error : new Error(String(error)));
        });
      }
    };
    const stop = services.applications.onChange(check);
    const cancel = services.clock.after(within, () => {
      end(() => {
        reject(
          new ApiError('DeadlineExceeded', 'application refresh deadline exceeded: no controller has reconciled it'),
        );
      });
    });
    signal.addEventListener(
      'abort',
      () => {
        end(() => {
          reject(new ApiError('Canceled', 'the client went away'));
        });
      },
      { once: true },
    );
    check();
  });
}
