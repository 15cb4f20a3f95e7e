import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, parsePointer, type Json, type JsonObject } from '../../model/json/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import type { IgnoreRule } from '../../model/argo/index.js';
import { readAnnotationRule } from './ignore-annotation.js';
import { type ClaimOptions, pointerPath, removePaths, type Origins, type Path } from '../fields/index.js';
import { compileJq, type JqProgram } from '../jq/index.js';
import {
  isKnownType,
  knownFieldsOf,
  type KnownField,
  type KnownTypeField,
  type NormalizeOptions,
} from '../normalize/index.js';
import type { RuleError } from './rule-error.js';

/** Whose `status` is not compared: everybody's, only that of CustomResourceDefinitions, or nobody's. */
export type IgnoreStatus = 'all' | 'crd' | 'none';

export interface RuleOptions {
  /** `spec.ignoreDifferences` of the application. */
  readonly ignoreDifferences?: readonly IgnoreRule[];
  /** `resource.customizations.ignoreDifferences.*` of the settings; `all` is group and kind `*`. */
  readonly systemIgnoreDifferences?: readonly IgnoreRule[];
  readonly knownTypeFields?: readonly KnownTypeField[];
  /** Of `resource.compareoptions`. */
  readonly ignoreAggregatedRoles?: boolean;
  readonly ignoreResourceStatusField?: IgnoreStatus;
  /** Field managers whose fields are ours; the first is the one we apply with. */
  readonly managers?: readonly string[];
  readonly instanceLabelKey?: string;
  readonly trackingMethod?: 'annotation' | 'label' | 'annotation+label';
  /** Steps that one jq expression may take on one object. */
  readonly jqBudget?: number;
}

/** Managers that wrote what Argo CD or kubectl applied before us; our own comes first. */
export const OUR_MANAGERS: readonly string[] = ['argosy', 'argocd-controller', 'kubectl-client-side-apply'];

/** More steps than the largest real object needs, and still well below a quarter of a second. */
const JQ_BUDGET = 400_000;

type Finder =
  | { readonly kind: 'pointer'; readonly parts: readonly string[] }
  | { readonly kind: 'jq'; readonly program: JqProgram; exhausted: boolean };

interface CompiledRule {
  readonly where: string;
  readonly rule: IgnoreRule;
  readonly finders: readonly Finder[];
}

/** What holds for one object. */
export interface ObjectRules {
  readonly finders: readonly Finder[];
  readonly claims: ClaimOptions;
  readonly prepare: NormalizeOptions;
  readonly known: KnownField | undefined;
}

interface KindRules {
  readonly everywhere: boolean;
  readonly rules: readonly CompiledRule[];
  readonly plain: ObjectRules;
}

/** The rules of one application, compiled once. Problems grow when an expression fails on an object. */
export class DiffRules {
  readonly problems: RuleError[] = [];
  readonly #rules: readonly CompiledRule[];
  readonly #options: Required<Omit<RuleOptions, 'ignoreDifferences' | 'systemIgnoreDifferences'>>;
  readonly #managers: ReadonlySet<string>;
  readonly #kinds = new Map<string, KindRules>();

  constructor(options: RuleOptions) {
    this.#options = {
      knownTypeFields: this.#known(options.knownTypeFields ?? []),
      ignoreAggregatedRoles: options.ignoreAggregatedRoles ?? false,
      ignoreResourceStatusField: options.ignoreResourceStatusField ?? 'all',
      managers: options.managers ?? OUR_MANAGERS,
      instanceLabelKey: options.instanceLabelKey ?? 'app.kubernetes.io/instance',
      trackingMethod: options.trackingMethod ?? 'annotation',
      jqBudget: options.jqBudget ?? JQ_BUDGET,
    };
    this.#managers = new Set(this.#options.managers);
    this.#rules = [
      ...(options.ignoreDifferences ?? []).map((rule, index) =>
        this.#compile(rule, `spec.ignoreDifferences[${index}]`),
      ),
      ...(options.systemIgnoreDifferences ?? []).map((rule) =>
        this.#compile(rule, `resource.customizations.ignoreDifferences.${keyText(rule)}`),
      ),
    ];
  }

  /** What holds for an object; the annotation of the target may add to it. */
  for(target: KubeObject): ObjectRules {
    const kind = this.#kindRules(target);
    const annotated = this.#annotated(target);
    if (annotated === undefined && kind.everywhere) return kind.plain;
    const { name = '', namespace = '' } = target.metadata;
    const rules = kind.rules.filter(
      ({ rule }) => (rule.name === '' || rule.name === name) && (rule.namespace === '' || rule.namespace === namespace),
    );
    return this.#objectRules(target, annotated === undefined ? rules : [...rules, annotated]);
  }

  /** The object without what its rules ignore; the same object where they ignore nothing of it. */
  strip(object: KubeObject, { finders }: ObjectRules, origins?: Origins): JsonObject {
    let result: Json = object;
    for (const finder of finders) result = removePaths(result, this.#paths(finder, result), origins);
    return isObject(result) ? result : {};
  }

  #paths(finder: Finder, object: Json): readonly Path[] {
    if (finder.kind === 'pointer') {
      const path = pointerPath(object, finder.parts);
      return path === undefined ? [] : [path];
    }
    if (finder.exhausted) return [];
    const outcome = finder.program.paths(object, this.#options.jqBudget);
    if (outcome.kind === 'paths') return outcome.paths;
    if (outcome.kind === 'exhausted') {
      // One object has shown that it does not end; the next thousand shall not wait for it again.
      finder.exhausted = true;
      this.#problem({ where: finder.program.where, expression: finder.program.expression, message: outcome.message });
    }
    // As in Argo CD, an expression that fails on an object ignores nothing of it: many are written for one shape of
    // several.
    return [];
  }

  #kindRules(target: KubeObject): KindRules {
    const key = `${target.apiVersion}\0${target.kind}`;
    let found = this.#kinds.get(key);
    if (found === undefined) {
      const { group, kind } = gvkOf(target);
      const rules = this.#rules.filter(({ rule }) => matchesGlob(rule.group, group) && matchesGlob(rule.kind, kind));
      const everywhere = rules.every(({ rule }) => rule.name === '' && rule.namespace === '');
      found = { everywhere, rules, plain: this.#objectRules(target, rules) };
      this.#kinds.set(key, found);
    }
    return found;
  }

  #objectRules(target: KubeObject, rules: readonly CompiledRule[]): ObjectRules {
    const { group, kind } = gvkOf(target);
    const {
      ignoreResourceStatusField: status,
      ignoreAggregatedRoles,
      instanceLabelKey,
      trackingMethod,
      managers,
      knownTypeFields,
    } = this.#options;
    return {
      finders: rules.flatMap(({ finders }) => finders),
      claims: {
        manager: managers[0] ?? '',
        managers: this.#managers,
        trusted: new Set(rules.flatMap(({ rule }) => rule.managedFieldsManagers)),
      },
      prepare: {
        type: `${group}/${kind}`,
        ignoreAggregatedRoles,
        instanceLabel: instanceLabelKey,
        tracksByAnnotation: trackingMethod !== 'label',
        ignoreStatus: status === 'all' || (status === 'crd' && kind === 'CustomResourceDefinition'),
      },
      known: knownFieldsOf(knownTypeFields, group, kind),
    };
  }

  #annotated(target: KubeObject): CompiledRule | undefined {
    const read = readAnnotationRule(target);
    if (read === undefined) return undefined;
    if (read.kind === 'rule') return this.#compile(read.rule, read.where);
    this.#problem(read.problem);
    return undefined;
  }

  #compile(rule: IgnoreRule, where: string): CompiledRule {
    const finders: Finder[] = [];
    for (const pointer of rule.jsonPointers) {
      if (pointer.startsWith('/')) finders.push({ kind: 'pointer', parts: parsePointer(pointer) });
      else
        this.#problem({
          where,
          expression: pointer,
          message: 'a JSON pointer starts with "/", such as /spec/replicas',
        });
    }
    for (const expression of rule.jqPathExpressions) {
      const compiled = compileJq(expression, where);
      if (compiled.kind === 'program') finders.push({ kind: 'jq', program: compiled.program, exhausted: false });
      else this.#problem({ where, expression, message: compiled.message });
    }
    return { where, rule, finders };
  }

  #known(fields: readonly KnownTypeField[]): readonly KnownTypeField[] {
    return fields.filter((field) => {
      if (isKnownType(field.type)) return true;
      this.#problem({
        where: `resource.customizations.knownTypeFields.${keyText(field)}`,
        expression: field.field,
        message: `type ${field.type} is not known`,
      });
      return false;
    });
  }

  #problem(problem: RuleError): void {
    if (!this.problems.some(({ where, expression }) => where === problem.where && expression === problem.expression))
      this.problems.push(problem);
  }
}

function keyText({ group, kind }: { readonly group: string; readonly kind: string }): string {
  if (group === '*' && kind === '*') return 'all';
  return group === '' ? kind : `${group}_${kind}`;
}

export function compileRules(options: RuleOptions = {}): DiffRules {
  return new DiffRules(options);
}
