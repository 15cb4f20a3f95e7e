import { Fault } from '../../model/faults/index.js';
import { gvkOf, keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, own } from '../../model/json/index.js';
import { readIgnoreRule, type IgnoreRule } from '../../model/argo/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { RuleError } from './rule-error.js';

/** On an object in git: what may differ of this object alone. YAML or JSON with the three lists of an ignore rule. */
export const IGNORE_ANNOTATION = 'argosy.dev/ignore-differences';

type AnnotationRule =
  | { readonly kind: 'rule'; readonly rule: IgnoreRule; readonly where: string }
  | { readonly kind: 'problem'; readonly problem: RuleError };

/**
 * The rule that a target carries itself. The annotation of the live object does not count: it would let drift excuse
 * itself.
 */
export function readAnnotationRule(target: KubeObject): AnnotationRule | undefined {
  const annotations = target.metadata.annotations;
  const text = isObject(annotations) ? own(annotations, IGNORE_ANNOTATION) : undefined;
  if (typeof text !== 'string') return undefined;
  const where = `annotation ${IGNORE_ANNOTATION} of ${keyText(keyOf(target))}`;
  try {
    const value = readOneYaml(text, { dialect: 'kubernetes' });
    if (!isObject(value))
      throw new Fault(
        'VALUE_INVALID',
        'must be an object with jsonPointers, jqPathExpressions or managedFieldsManagers',
      );
    const { jsonPointers, jqPathExpressions, managedFieldsManagers } = value;
    const stated = {
      ...(jsonPointers === undefined ? {} : { jsonPointers }),
      ...(jqPathExpressions === undefined ? {} : { jqPathExpressions }),
      ...(managedFieldsManagers === undefined ? {} : { managedFieldsManagers }),
    };
    return {
      kind: 'rule',
      where,
      rule: { ...readIgnoreRule(stated, IGNORE_ANNOTATION), ...gvkOf(target), name: '', namespace: '' },
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'problem', problem: { where, expression: text.slice(0, 200), message: error.message } };
  }
}
