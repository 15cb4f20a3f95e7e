import { equal } from '../../../model/json/index.js';
import { keyOf, keyText, splitApiVersion, type Key, type KubeObject } from '../../../model/kubernetes/index.js';
import { valueAtSteps, type Edit, type Repair } from '../../../triage/index.js';
import { differingPaths } from './changed-objects.js';
import { destinationOf, type ApplicationRender } from './render-applications.js';

/**
 * What becomes of the objects of the cluster when an application renders otherwise. One that did not render at all
 * delivers everything again.
 */
export function effectsOf(
  was: ApplicationRender | undefined,
  after: ApplicationRender,
  objects: readonly KubeObject[],
  application: KubeObject,
): Repair {
  const live = new Map(objects.map((object) => [keyText(keyOf(object)), object]));
  const liveKey = (object: KubeObject): Key => {
    const [own, placed] = [
      keyOf(object),
      { ...keyOf(object), namespace: object.metadata.namespace ?? destinationOf(application) },
    ];
    return live.has(keyText(own)) ? own : placed;
  };
  const ids = [...new Set([...(was?.manifests.keys() ?? []), ...after.manifests.keys()])].sort();
  const found = ids.map((id): Repair => {
    const [old, now] = [was?.manifests.get(id)?.object, after.manifests.get(id)?.object];
    if (now === undefined)
      return old === undefined
        ? NO_REPAIR
        : { ...NO_REPAIR, edits: [{ object: liveKey(old), path: [], change: { kind: 'remove' } }] };
    if (old !== undefined && equal(old, now)) return NO_REPAIR;
    const key = liveKey(now);
    const object = live.get(keyText(key));
    if (object === undefined)
      return {
        ...NO_REPAIR,
        adds: [
          { ...now, metadata: { ...now.metadata, ...(key.namespace === '' ? {} : { namespace: key.namespace }) } },
        ],
      };
    return {
      ...NO_REPAIR,
      edits:
        old === undefined
          ? []
          : differingPaths(old, now).map((path): Edit => {
              const value = valueAtSteps(now, path);
              return { object: key, path, change: value === undefined ? { kind: 'remove' } : { kind: 'set', value } };
            }),
    };
  });
  const merged = {
    edits: found.flatMap(({ edits }) => edits),
    adds: found.flatMap(({ adds }) => adds),
    actions: found.flatMap(({ actions }) => actions),
  };
  const isSame = merged.edits.length + merged.adds.length + merged.actions.length === 0;
  return was === undefined || isSame ? { ...merged, edits: [...merged.edits, refreshEdit(application)] } : merged;
}

const NO_REPAIR: Repair = { edits: [], adds: [], actions: [] };

/** The application itself is compared again. */
function refreshEdit(application: KubeObject): Edit {
  const { group } = splitApiVersion(application.apiVersion);
  return {
    object: {
      group,
      kind: application.kind,
      namespace: application.metadata.namespace ?? '',
      name: application.metadata.name ?? '',
    },
    path: ['metadata', 'annotations', 'argocd.argoproj.io/refresh'],
    change: { kind: 'set', value: 'normal' },
  };
}
