import { own, type JsonObject } from '../../../model/json/index.js';
import { has, items, maybe, number, texts } from '../../resources/index.js';
import {
  containersOf,
  containersText,
  contextOf,
  isWindows,
  namesOf,
  plural,
  quoted,
  settersText,
  unique,
  type Check,
} from './check.js';
import { seccompRestricted } from './seccomp.js';

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const OTHER_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  since: 8,
  test({ spec }, minor) {
    if (minor >= 25 && isWindows(spec)) return undefined;
    const bad = containersOf(spec).filter(
      (container) => own(contextOf(container) ?? {}, 'allowPrivilegeEscalation') !== false,
    );
    return bad.length === 0
      ? undefined
      : {
          reason: 'allowPrivilegeEscalation != false',
          detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
        };
  },
};

const capabilities: Check = {
  id: 'capabilities_restricted',
  since: 22,
  replaces: 'capabilities_baseline',
  test({ spec }, minor) {
    if (minor >= 25 && isWindows(spec)) return undefined;
    const list = (container: JsonObject, name: string): string[] =>
      texts(maybe(container, 'securityContext.capabilities'), name);
    const added = (container: JsonObject): string[] =>
      list(container, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
    const keeping = containersOf(spec).filter((container) => !list(container, 'drop').includes('ALL'));
    const adding = containersOf(spec).filter((container) => added(container).length > 0);
    const details = [
      ...(keeping.length > 0 ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
      ...(adding.length > 0
        ? [
            `${containersText(adding)} must not include ${quoted(unique(adding.flatMap(added)))} in ` +
              'securityContext.capabilities.add',
          ]
        : []),
    ];
    return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
  },
};

const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  since: 0,
  replaces: 'hostPathVolumes',
  test({ spec }) {
    const bad = items(spec, 'volumes').filter((volume) => !VOLUMES.some((kind) => has(volume, kind)));
    if (bad.length === 0) return undefined;
    const kinds = unique(bad.map((volume) => OTHER_VOLUMES.find((kind) => has(volume, kind)) ?? 'unknown'));
    return {
      reason: 'restricted volume types',
      detail:
        `${plural('volume', bad.length)} ${quoted(namesOf(bad))} ${bad.length === 1 ? 'uses' : 'use'} ` +
        `${plural('restricted volume type', kinds.length)} ${quoted(kinds)}`,
    };
  },
};

const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  since: 0,
  test({ spec }) {
    const asks = (holder: JsonObject) => own(contextOf(holder) ?? {}, 'runAsNonRoot');
    const containers = containersOf(spec);
    const setters = settersText(
      asks(spec) === false,
      containers.filter((container) => asks(container) === false),
    );
    if (setters !== '')
      return { reason: 'runAsNonRoot != true', detail: `${setters} must not set securityContext.runAsNonRoot=false` };
    const silent =
      asks(spec) === true
        ? []
        : containers.filter((container) => asks(container) === undefined || asks(container) === null);
    if (silent.length === 0) return undefined;
    return {
      reason: 'runAsNonRoot != true',
      detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true`,
    };
  },
};

const runAsUser: Check = {
  id: 'runAsUser',
  since: 23,
  test({ spec }) {
    const isRoot = (holder: JsonObject): boolean => number(contextOf(holder), 'runAsUser') === 0;
    const setters = settersText(isRoot(spec), containersOf(spec).filter(isRoot));
    return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
  },
};

/** In the order in which violations are reported, after those of the baseline. */
export const RESTRICTED: readonly Check[] = [
  allowPrivilegeEscalation,
  capabilities,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
];
