import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { joinApiVersion, splitApiVersion } from '../../model/kubernetes/index.js';
import type { RestClient } from '../transport/index.js';
import type { ResourceKind } from './resource-kind.js';

/** What the server serves, and which parts of it do not answer now. */
export interface Discovery {
  readonly kinds: readonly ResourceKind[];
  /** Group versions whose kinds are not known at present: nothing may be concluded from their absence. */
  readonly failed: readonly { readonly groupVersion: string; readonly message: string }[];
}

interface Version {
  readonly groupVersion: string;
  readonly isPreferred: boolean;
}

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
const ACCEPT = `${AGGREGATED},application/json`;

/** Asks for everything in two requests, or, where the server is too old for that, group by group. */
export async function discover(requester: RestClient): Promise<Discovery> {
  const parts = await Promise.all(
    ['/api', '/apis'].map(async (path) => {
      const answer = await requester.json({ method: 'GET', path, accept: ACCEPT, isRepeatable: true });
      return answer.kind === 'APIGroupDiscoveryList'
        ? readAggregated(answer)
        : readLegacy(requester, versionsOf(answer));
    }),
  );
  return { kinds: withPreferences(parts.flatMap(({ kinds }) => kinds)), failed: parts.flatMap(({ failed }) => failed) };
}

/**
 * A kind that the preferred version of its group lacks is preferred in the first version that has it: every kind has
 * one.
 */
function withPreferences(kinds: readonly ResourceKind[]): ResourceKind[] {
  const chosen = new Map<string, ResourceKind>();
  for (const kind of kinds) {
    const name = `${kind.group}/${kind.plural}`;
    const known = chosen.get(name);
    if (known === undefined || (kind.preferred && !known.preferred)) chosen.set(name, kind);
  }
  return kinds.map((kind) =>
    chosen.get(`${kind.group}/${kind.plural}`) === kind ? { ...kind, preferred: true } : kind,
  );
}

function readAggregated(list: JsonObject): Discovery {
  const kinds: ResourceKind[] = [];
  const failed: { groupVersion: string; message: string }[] = [];
  for (const item of objects(list.items)) {
    const group = isObject(item.metadata) ? text(item.metadata.name) : '';
    let hasPreferred = false;
    for (const entry of objects(item.versions)) {
      const version = text(entry.version);
      if (entry.freshness === 'Stale') {
        failed.push({
          groupVersion: joinApiVersion(group, version),
          message: 'the server behind this API group does not answer',
        });
        continue;
      }
      const preferred = !hasPreferred;
      hasPreferred = true;
      for (const resource of objects(entry.resources))
        kinds.push(aggregatedKind(resource, { group, version, preferred }));
    }
  }
  return { kinds: kinds.filter(({ kind }) => kind !== ''), failed };
}

function aggregatedKind(
  resource: JsonObject,
  of: { group: string; version: string; preferred: boolean },
): ResourceKind {
  const kind = isObject(resource.responseKind) ? resource.responseKind : {};
  return {
    ...of,
    kind: text(kind.kind),
    plural: text(resource.resource),
    namespaced: resource.scope === 'Namespaced',
    singular: text(resource.singularResource),
    shortNames: texts(resource.shortNames),
    categories: texts(resource.categories),
    verbs: texts(resource.verbs),
    subresources: objects(resource.subresources).map((item) => text(item.subresource)),
  };
}

/** `/api` lists versions of the core group; `/apis` lists groups with theirs. */
function versionsOf(answer: JsonObject): Version[] {
  if (answer.kind === 'APIVersions')
    return texts(answer.versions).map((groupVersion, index) => ({ groupVersion, isPreferred: index === 0 }));
  return objects(answer.groups).flatMap((group) => {
    const preferred = isObject(group.preferredVersion) ? text(group.preferredVersion.groupVersion) : '';
    return objects(group.versions).map((entry) => ({
      groupVersion: text(entry.groupVersion),
      isPreferred: text(entry.groupVersion) === preferred,
    }));
  });
}

async function readLegacy(requester: RestClient, versions: readonly Version[]): Promise<Discovery> {
  const parts = await Promise.all(
    versions.map(async (version): Promise<Discovery> => {
      const { group } = splitApiVersion(version.groupVersion);
      const path = `/${group === '' ? 'api' : 'apis'}/${version.groupVersion}`;
      try {
        return {
          kinds: legacyKinds(
            await requester.json({ method: 'GET', path, isRepeatable: true, limits: { tries: 2 } }),
            version,
          ),
          failed: [],
        };
      } catch (error) {
        // One extension server that is down must not hide what the others serve.
        if (!(error instanceof Fault)) throw error;
        return { kinds: [], failed: [{ groupVersion: version.groupVersion, message: error.message }] };
      }
    }),
  );
  return { kinds: parts.flatMap(({ kinds }) => kinds), failed: parts.flatMap(({ failed }) => failed) };
}

function legacyKinds(list: JsonObject, { groupVersion, isPreferred }: Version): ResourceKind[] {
  const all = objects(list.resources);
  const { group, version } = splitApiVersion(groupVersion);
  return all
    .filter((resource) => !text(resource.name).includes('/'))
    .map((resource) => {
      const plural = text(resource.name);
      return {
        group,
        version,
        preferred: isPreferred,
        kind: text(resource.kind),
        plural,
        namespaced: resource.namespaced === true,
        singular: text(resource.singularName),
        shortNames: texts(resource.shortNames),
        categories: texts(resource.categories),
        verbs: texts(resource.verbs),
        subresources: all
          .map((other) => text(other.name))
          .filter((name) => name.startsWith(`${plural}/`))
          .map((name) => name.slice(plural.length + 1)),
      };
    });
}

function objects(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
