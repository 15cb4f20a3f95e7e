import { joinApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { decodeKind } from '../schema/index.js';
import { builtinTypes, type BuiltinType } from './builtin-types.js';
import { CRD_STRATEGY } from '../crd/index.js';
import { BUILTIN_STRATEGIES } from './builtin-strategies.js';
import { kind, type ResourceType } from '../resources/index.js';

/** Resources served in more than one group or version, and the form they are kept in. */
const STORED_AS: Readonly<Record<string, { readonly storage: string; readonly apiVersion: string }>> = {
  'events.k8s.io/events': { storage: 'core/events', apiVersion: 'v1' },
  'autoscaling/horizontalpodautoscalers': {
    storage: 'autoscaling/horizontalpodautoscalers',
    apiVersion: 'autoscaling/v2',
  },
};

/** Resources whose DELETE answers with the object; the real server's OpenAPI says which. */
const RETURN_DELETED = new Set([
  ...[
    'pods',
    'services',
    'serviceaccounts',
    'persistentvolumeclaims',
    'persistentvolumes',
    'podtemplates',
    'resourcequotas',
  ].map((plural) => `/${plural}`),
  ...['storageclasses', 'csidrivers', 'csinodes', 'volumeattachments', 'volumeattributesclasses'].map(
    (plural) => `storage.k8s.io/${plural}`,
  ),
  ...['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'].map(
    (plural) => `resource.k8s.io/${plural}`,
  ),
]);

const DEPRECATED: Readonly<Record<string, string>> = {
  '/v1/Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
};

const PLAIN = kind({});
const KINDS = new Map([
  ...BUILTIN_STRATEGIES,
  ['apiextensions.k8s.io/CustomResourceDefinition', kind({ strategy: CRD_STRATEGY })],
]);

/** Every built-in resource: its discovery row and schema, joined with how its kind behaves. */
export function builtinResourceTypes(): ResourceType[] {
  return builtinTypes().map((type) => new BuiltinResourceType(type));
}

// A class, because the schema of a type is compiled only when something asks for it.
class BuiltinResourceType implements ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly custom = false;
  readonly verbs: readonly string[];
  readonly subresources: ResourceType['subresources'];
  readonly strategy: ResourceType['strategy'];
  readonly columns: ResourceType['columns'];
  readonly selectableFields: ResourceType['selectableFields'];
  readonly storage: string;
  readonly storedApiVersion: string;
  readonly deprecationWarning?: string;
  readonly conversion?: NonNullable<ResourceType['conversion']>;

  constructor(private readonly source: BuiltinType) {
    ({
      group: this.group,
      version: this.version,
      kind: this.kind,
      listKind: this.listKind,
      plural: this.plural,
      singular: this.singular,
    } = source);
    ({
      shortNames: this.shortNames,
      categories: this.categories,
      namespaced: this.namespaced,
      verbs: this.verbs,
      subresources: this.subresources,
    } = source);
    const behaviour = KINDS.get(`${this.group}/${this.kind}`) ?? PLAIN;
    ({ columns: this.columns, selectableFields: this.selectableFields } = behaviour);
    this.strategy = RETURN_DELETED.has(`${this.group}/${this.plural}`)
      ? { ...behaviour.strategy, returnsDeleted: true }
      : behaviour.strategy;
    if (behaviour.conversion?.apiVersion === joinApiVersion(this.group, this.version))
      this.conversion = behaviour.conversion;
    const deprecated = DEPRECATED[`${this.group}/${this.version}/${this.kind}`];
    if (deprecated !== undefined) this.deprecationWarning = deprecated;
    const kept = STORED_AS[`${this.group}/${this.plural}`];
    this.storage = kept?.storage ?? `${this.group === '' ? 'core' : this.group}/${this.plural}`;
    this.storedApiVersion = kept?.apiVersion ?? joinApiVersion(this.group, this.version);
  }

  get schema(): ResourceType['schema'] {
    return this.source.schema;
  }

  decode(value: JsonObject): { object: KubeObject; unknownFields: readonly string[] } {
    return decodeKind(value, this);
  }
}
