import { shortReason } from '../../control/index.js';
import { projectOf, serverOf, sourcesOf } from '../../model/argo/index.js';
import { objectsAt, textAt } from '../../model/json/index.js';
import type { FleetRow } from '../../model/api/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { healthOf, syncOf } from '../applications/index.js';

const known = new WeakMap<KubeObject, FleetRow>();

/** Computed once for each version of an application. */
export function fleetRow(application: KubeObject): FleetRow {
  const row = known.get(application) ?? rowOf(application);
  known.set(application, row);
  return row;
}

function rowOf(application: KubeObject): FleetRow {
  const { namespace = '', name = '' } = application.metadata;
  const [source = {}] = sourcesOf(application);
  const phase = textAt(application, 'status', 'operationState', 'phase');
  return {
    namespace,
    name,
    project: projectOf(application),
    sync: syncOf(application),
    health: healthOf(application),
    operation: phase === 'Succeeded' ? '' : phase,
    cause: shortReason(application),
    cluster: textAt(application, 'spec', 'destination', 'name') || serverOf(application),
    destinationNamespace: textAt(application, 'spec', 'destination', 'namespace'),
    repository: textAt(source, 'repoURL'),
    targetRevision: textAt(source, 'targetRevision') || 'HEAD',
    deployedAt: textAt(objectsAt(application, 'status', 'history').at(-1) ?? {}, 'deployedAt'),
  };
}
