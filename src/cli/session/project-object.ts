import { ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { parseAppProject } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from './app-session.js';
import { APP_PROJECTS } from '../../model/resources/index.js';

const MAX_ATTEMPTS = 5;

export async function findProject({ cluster, controlNamespace }: AppSession, name: string): Promise<KubeObject> {
  const found = await cluster.get(APP_PROJECTS, { namespace: controlNamespace, name });
  if (found === undefined)
    throw new Fault('NAME_UNKNOWN', `project "${name}" not found in namespace ${controlNamespace}`, {
      where: cluster.server,
    });
  return found;
}

export function specOf(object: KubeObject): JsonObject {
  return isObject(object.spec) ? object.spec : {};
}

/** A list of the spec; empty where there is none. */
export function specList(object: KubeObject, name: string): readonly Json[] {
  const list = own(specOf(object), name);
  return isArray(list) ? list : [];
}

/** A copy of the project with another value in its spec; undefined takes it away. */
export function withSpec(object: KubeObject, members: Readonly<Record<string, Json | undefined>>): KubeObject {
  const spec: JsonObject = {};
  for (const [name, value] of Object.entries({ ...specOf(object), ...members }))
    if (value !== undefined) put(spec, name, value);
  return { ...object, spec };
}

/** Changes a project as it is now: whoever was faster is not overwritten. Says whether there was anything to write. */
export async function changeProject(
  session: AppSession,
  name: string,
  change: (project: KubeObject) => KubeObject,
): Promise<boolean> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    const before = await findProject(session, name);
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    parseAppProject(after);
    try {
      await session.cluster.update(APP_PROJECTS, after);
      return true;
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 409) || left === 0) throw error;
    }
  }
}
