import { instanceName, type ControlServices } from '../../control/index.js';
import { idOf } from '../../model/argo/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { writeJson, type Json } from '../../model/json/index.js';
import type { Feed } from '../http/index.js';

interface FeedServices extends Pick<ControlServices, 'namespace' | 'clock'> {
  readonly resources: Pick<ControlServices['resources'], 'onChange' | 'tree'>;
  readonly applications: Pick<ControlServices['applications'], 'onChange' | 'find'>;
}

/** Changes come in groups: one tree for all of them. */
const DEBOUNCE = 200;

/**
 * The tree now, and again whenever something in it changed and it reads otherwise. A client that is slow gets the
 * newest.
 */
export function treeFeed(application: KubeObject, services: FeedServices): Feed {
  return async (outlet) => {
    const id = idOf(application);
    let known = new Set<string>();
    let last = '';
    let isDirty = true;
    let wake: () => void = () => undefined;
    const touch = (): void => {
      isDirty = true;
      wake();
    };
    const instance = instanceName(id, services.namespace);
    const stops = [
      services.resources.onChange(({ key, owners, parents }) => {
        if (owners.includes(instance) || known.has(keyText(key)) || parents.some((uid) => known.has(uid))) touch();
      }),
      services.applications.onChange((change) => {
        if (change.type !== 'deleted' && keyOfId(idOf(change.object)) === keyOfId(id)) touch();
      }),
    ];
    const abort = (): void => {
      wake();
    };
    outlet.signal.addEventListener('abort', abort);
    try {
      while (!outlet.signal.aborted) {
        const current = services.applications.find(id.namespace, id.name);
        if (current === undefined) return;
        isDirty = false;
        const tree = await services.resources.tree(current);
        known = new Set(
          tree.nodes.flatMap(({ group = '', kind, namespace = '', name, uid }) => [
            keyText({ group, kind, namespace, name }),
            ...(uid === undefined ? [] : [uid]),
          ]),
        );
        const text = writeJson(tree as unknown as Json);
        if (text !== last && !outlet.send(text)) await outlet.drained();
        last = text;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isDirty || outlet.signal.aborted) resolve();
        });
        await new Promise<void>((resolve) => {
          services.clock.after(DEBOUNCE, resolve);
        });
      }
    } finally {
      outlet.signal.removeEventListener('abort', abort);
      for (const stop of stops) stop();
    }
  };
}

function keyOfId({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
