import { quoteGo } from '../../../model/go/index.js';
import { fullSpec } from '../config/transformer-config.js';
import { visitField, type FieldSpec } from '../config/field-spec.js';
import { during, invalid } from '../fault.js';
import { decodeWhole, flag, struct, text } from '../kustomization/decode.js';
import { fieldSpecs, objectMeta } from '../kustomization/types.js';
import { annotationOf } from '../resource/metadata.js';
import { HELM_GENERATED, type Resource } from '../resource/resource.js';
import { elements, getField } from '../yaml/fields.js';
import { goJson } from '../yaml/go-json.js';
import { nodeJson } from '../yaml/node-json.js';
import { isPresent, STRING_TAG, type YamlNode } from '../yaml/node.js';
import { lookupCreate } from '../yaml/path.js';
import { emptyEntrySetter, entrySetter } from './set-entry.js';
import type { TransformerFactory } from '../plugin/transformer.js';

const type = struct('NamespaceTransformerPlugin', {
  metadata: objectMeta,
  fieldSpecs,
  unsetOnly: flag,
  setRoleBindingSubjects: text,
});

const METADATA_NAMESPACE = fullSpec({ path: 'metadata/namespace', create: true });
const MODES = ['defaultOnly', 'none', 'allServiceAccounts'];

export interface NamespaceChange {
  readonly namespace: string;
  readonly specs: readonly FieldSpec[];
  readonly unsetOnly: boolean;
  /** Which subjects of role bindings are put into the namespace. */
  readonly subjects: string;
}

/** Puts objects that can have one into a namespace, and changes what refers to it. */
export const namespaceTransformer: TransformerFactory = (config) => {
  const { metadata, fieldSpecs: specs, unsetOnly, setRoleBindingSubjects } = decodeWhole(type, config, false);
  const subjects = setRoleBindingSubjects === '' ? 'defaultOnly' : setRoleBindingSubjects;
  if (!MODES.includes(subjects)) {
    throw invalid(
      `invalid value ${quoteGo(subjects)} for setRoleBindingSubjects: must be one of ` +
        `${MODES.map(quoteGo).slice(0, 2).join(', ')} or ${quoteGo('allServiceAccounts')}`,
    );
  }
  const change = { namespace: metadata.namespace, specs, unsetOnly, subjects };
  return {
    transform(resources) {
      if (change.namespace === '') return;
      for (const resource of resources.resources) {
        if (resource.isEmpty() || annotationOf(resource.node, HELM_GENERATED) === 'true') continue;
        resource.rememberId();
        setNamespace(resource, change);
        const same = resources.byId(resource.id);
        if (same.length !== 1)
          throw invalid(
            'namespace transformation produces ID conflict: ' +
              `[${same.map(({ node }) => goJson(nodeJson(node))).join(' ')}]`,
          );
      }
    },
  };
};

export function setNamespace(resource: Resource, change: NamespaceChange): void {
  const { node } = resource;
  const { namespace, unsetOnly } = change;
  const setter = (): ((field: YamlNode) => void) =>
    unsetOnly ? emptyEntrySetter('', namespace, STRING_TAG) : entrySetter('', namespace, STRING_TAG);
  if (!resource.id.isClusterScoped) visitField(node, { spec: METADATA_NAMESPACE, set: setter(), createKind: 'scalar' });
  const isBinding = isRoleBinding(resource.kind);
  if (isBinding) setSubjects(node, change, setter);
  const set = setter();
  during('namespace transformation failed', () => {
    for (const spec of change.specs) {
      if (isHandled(spec, resource.apiVersion, isBinding)) continue;
      visitField(node, { spec, set, createKind: 'scalar', createTag: STRING_TAG });
    }
  });
}

function isRoleBinding(kind: string): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

/** Namespaces of objects and of subjects are not left to the specs; and only the core Namespace is renamed. */
function isHandled({ path, kind }: FieldSpec, apiVersion: string, isBinding: boolean): boolean {
  if (path === 'metadata/namespace' || (path === 'metadata/name' && apiVersion !== 'v1')) return true;
  return isBinding && isRoleBinding(kind) && path === 'subjects/namespace';
}

function setSubjects(node: YamlNode, { subjects }: NamespaceChange, setter: () => (field: YamlNode) => void): void {
  if (subjects === 'none') return;
  const [name, wanted] = subjects === 'allServiceAccounts' ? ['kind', 'ServiceAccount'] : ['name', 'default'];
  const list = getField(node, 'subjects');
  if (!isPresent(list)) return;
  during('setting namespace on (cluster)role binding subjects', () => {
    for (const subject of elements(list)) {
      const value = getField(subject, name);
      if (!isPresent(value) || value.value !== wanted) continue;
      const field = lookupCreate(subject, 'scalar', ['namespace']);
      if (field !== undefined) setter()(field);
    }
  });
}
