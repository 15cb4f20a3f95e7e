import { applyJsonPatch, type JsonPatch } from '../../../model/patch/index.js';
import { isArray, isObject, parseJson, type Json } from '../../../model/json/index.js';
import { invalid } from '../fault.js';
import { readYamlText } from '../kustomization/parse-kustomization.js';
import { mergePatch } from '../merge/merge.js';
import type { Resource } from '../resource/resource.js';
import { jsonNode, nodeJson } from '../yaml/node-json.js';
import { emptyNode } from '../yaml/node.js';

/** Applies a strategic merge patch. Kind and name stay unless the patch may change them; the namespace always stays. */
export function applyMergePatch(resource: Resource, patch: Resource): void {
  const { name, namespace, kind } = resource;
  const { mayChangeName, mayChangeKind } = patch;
  if (mayChangeName || mayChangeKind) resource.rememberId();
  const merged = mergePatch(resource.node, patch.node, { openApi: resource.openApi, newElements: 'first' });
  if (merged === undefined) {
    resource.node = emptyNode('map');
    return;
  }
  // A patch that says `$patch: replace` for the whole object makes another node, which Kustomize does not use.
  if (resource.isEmpty()) return;
  if (!mayChangeKind) resource.setKind(kind);
  if (!mayChangeName) resource.setName(name);
  resource.setNamespace(namespace);
}

/** The operations of a JSON patch, written as JSON or as YAML. */
export function parseOperations(text: string): JsonPatch {
  if (text === '') throw invalid('empty json patch operations');
  const json: Json = text.startsWith('[') ? parseJson(text) : readYamlText(text);
  if (json === null) return [];
  if (!isArray(json))
    throw invalid(
      `json: cannot unmarshal ${isObject(json) ? 'object' : typeof json} into Go value of type jsonpatch.Patch`,
    );
  return json.map((operation) => {
    if (isObject(operation)) return operation;
    throw invalid(`json: cannot unmarshal ${typeof operation} into Go value of type jsonpatch.Operation`);
  });
}

/** Applies a JSON patch. The object is written as JSON and read again, so its nodes are new; build notes are kept. */
export function applyOperations(resource: Resource, operations: JsonPatch): void {
  const internal = resource.internalAnnotations;
  const patched = applyJsonPatch(nodeJson(resource.node), operations);
  if (!isObject(patched))
    throw invalid('json: cannot unmarshal the patched object into Go value of type map[string]interface {}');
  resource.node = jsonNode(patched);
  resource.setAnnotations(new Map([...resource.annotations, ...internal]));
}
