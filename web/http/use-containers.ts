import { useEffect, useState } from 'react';
import { get } from './client';
import { appPath, appQuery, type AppRef } from './application-path';

interface PodSpec {
  readonly spec?: {
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
  };
}

/** The names of the containers of a pod; those that prepare it come last. */
export function useContainers(
  app: AppRef,
  pod: { readonly name: string; readonly namespace?: string },
): readonly string[] {
  const [containers, setContainers] = useState<readonly string[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    get<{ manifest?: string }>(
      appPath(app, '/resource'),
      appQuery(app, { namespace: pod.namespace, resourceName: pod.name, version: 'v1', kind: 'Pod', group: '' }),
      abort.signal,
    ).then(
      ({ manifest }) => {
        const { spec } = JSON.parse(manifest ?? '{}') as PodSpec;
        setContainers([...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name));
      },
      () => undefined,
    );
    return () => {
      abort.abort();
    };
  }, [app.name, app.namespace, pod.name, pod.namespace]);
  return containers;
}
