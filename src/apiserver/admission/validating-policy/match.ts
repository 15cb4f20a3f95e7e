import { EVERYTHING, labelSelectorOf, matchesLabels, type KubeObject } from '../../../model/kubernetes/index.js';
import { isObject, own, type JsonObject } from '../../../model/json/index.js';
import { items, texts, type ResourceType, type TypeCatalog } from '../../resources/index.js';
import type { AdmissionRequest } from '../../rest/index.js';

export interface Matching {
  readonly request: AdmissionRequest;
  readonly types: TypeCatalog;
  /** The namespace of the object; undefined for cluster scope. */
  readonly namespace: KubeObject | undefined;
}

/** Does a request fall under matchConstraints of a policy or matchResources of a binding? */
export function isMatched(match: JsonObject | undefined, given: Matching): boolean {
  if (match === undefined) return true;
  const { request } = given;
  if (!selects(match, 'namespaceSelector', namespaceLabels(given))) return false;
  if (
    ![request.object, request.old].some(
      (object) => object && selects(match, 'objectSelector', object.metadata.labels ?? {}),
    )
  )
    return false;
  const versions = own(match, 'matchPolicy') === 'Exact' ? [request.type] : equivalentTypes(given);
  const covered = (list: string): boolean =>
    items(match, list).some((rule) => versions.some((type) => ruleCovers(rule, request, type)));
  if (covered('excludeResourceRules')) return false;
  return items(match, 'resourceRules').length === 0 || covered('resourceRules');
}

/**
 * The labels that a namespace selector is matched against; undefined where the request has no namespace, which every
 * selector admits.
 */
function namespaceLabels({ request, namespace }: Matching): Readonly<Record<string, string>> | undefined {
  if (request.type.group === '' && request.type.plural === 'namespaces')
    return (request.object ?? request.old)?.metadata.labels ?? {};
  return request.type.namespaced ? (namespace?.metadata.labels ?? {}) : undefined;
}

function selects(match: JsonObject, field: string, labels: Readonly<Record<string, string>> | undefined): boolean {
  const selector = own(match, field);
  return labels === undefined || matchesLabels(isObject(selector) ? labelSelectorOf(selector) : EVERYTHING, labels);
}

/** A rule for one version of a resource holds for requests in its other versions too. */
function equivalentTypes({ request: { type }, types }: Matching): ResourceType[] {
  return types.all.filter((other) => other.storage === type.storage);
}

function ruleCovers(rule: JsonObject, { operation, subresource, name }: AdmissionRequest, type: ResourceType): boolean {
  const has = (field: string, value: string): boolean =>
    texts(rule, field).some((each) => each === '*' || each === value);
  const scope = own(rule, 'scope');
  if (scope === (type.namespaced ? 'Cluster' : 'Namespaced')) return false;
  const names = texts(rule, 'resourceNames');
  return (
    has('operations', operation) &&
    has('apiGroups', type.group) &&
    has('apiVersions', type.version) &&
    texts(rule, 'resources').some((pattern) => resourceMatches(pattern, type.plural, subresource)) &&
    (names.length === 0 || names.includes(name))
  );
}

// A star alone means every resource but no subresource; behind the slash it means all of them.
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (part === subresource || part === '*');
}
