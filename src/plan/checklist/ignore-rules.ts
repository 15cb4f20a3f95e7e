import { isObject, type JsonObject } from '../../model/json/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Application, IgnoreRule } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { immutableFields } from './immutable.js';
import { isKnownPattern, KEPT_BY_THE_SERVER, PATTERNS } from './patterns.js';
import { isBelow, objectName, type CheckedObject, type ChecklistInput, type Finding } from './checklist-input.js';

/** Pointers that leave nothing to compare. */
const WHOLE = ['', '/', '/spec', '/data', '/stringData', '/metadata'];
const OWN_MANAGERS = ['argosy', 'argocd-controller', 'kubectl-client-side-apply'];

const APPLIES_GIT = 'is the manager that applies git: every difference is ignored';
const IGNORED_WHOLE = 'is ignored as a whole: no change there is ever reported';

/** A question about an application whose spec can be read. */
export interface ParsedChecklistInput extends ChecklistInput {
  readonly parsed: Application;
}

/** Rules name single fields: one that hides all of an object also hides what people want to see. */
export function checkNarrow({ parsed, objects }: ParsedChecklistInput): Finding[] {
  return parsed.ignoreDifferences.flatMap((rule, index) => {
    const whole = [
      ...rule.jsonPointers.flatMap((pointer, at) =>
        WHOLE.includes(pointer) ? [{ part: pointer, list: 'jsonPointers', at }] : [],
      ),
      ...rule.jqPathExpressions.flatMap((expression, at) =>
        WHOLE.includes(plainPointer(expression) ?? 'narrow')
          ? [{ part: expression, list: 'jqPathExpressions', at }]
          : [],
      ),
      ...rule.managedFieldsManagers.flatMap((manager, at) =>
        OWN_MANAGERS.includes(manager) ? [{ part: manager, list: 'managedFieldsManagers', at }] : [],
      ),
    ];
    return whole.map(({ part, list, at }): Finding => {
      const isOurs = list === 'managedFieldsManagers';
      const add = isOurs ? '' : narrower(rule, objects);
      return {
        state: 'fails',
        field: `/spec/ignoreDifferences/${index}/${list}/${at}`,
        message: `${JSON.stringify(part)} of ${kindOf(rule)} ${isOurs ? APPLIES_GIT : IGNORED_WHOLE}`,
        remedy: isOurs ? 'remove it' : narrowRemedy(add),
        ...(add === '' ? {} : { add }),
      };
    });
  });
}

function narrowRemedy(add: string): string {
  return add === ''
    ? 'ignore only the fields that differ, or the manager that owns them; argosy app diff shows both'
    : 'ignore only what differs';
}

function patternFields(pattern: (typeof PATTERNS)[number] | undefined): JsonObject | undefined {
  if (pattern === undefined) return undefined;
  const { jsonPointers, jqPathExpressions, managedFieldsManagers } = pattern;
  return {
    ...(jsonPointers === undefined ? {} : { jsonPointers: [...jsonPointers] }),
    ...(jqPathExpressions === undefined ? {} : { jqPathExpressions: [...jqPathExpressions] }),
    ...(managedFieldsManagers === undefined ? {} : { managedFieldsManagers: [...managedFieldsManagers] }),
  };
}

/**
 * The managers that own fields of the objects in the cluster, else what the guide says about the kind, where that is
 * one thing.
 */
function narrower(rule: IgnoreRule, objects: readonly CheckedObject[]): string {
  const managers = [
    ...new Set(
      objects
        .filter(({ key }) => fits(rule, key))
        .flatMap(({ live }) => (live === undefined ? [] : otherManagersOf(live))),
    ),
  ];
  const about = PATTERNS.filter(({ group, kind }) => kind !== '*' && group === rule.group && kind === rule.kind);
  const known = about.length === 1 ? about[0] : undefined;
  const narrow = managers.length > 0 ? { managedFieldsManagers: managers } : patternFields(known);
  if (narrow === undefined) return '';
  const { group, kind, name, namespace } = rule;
  return writeYaml({
    spec: {
      ignoreDifferences: [
        {
          ...(group === '' ? {} : { group }),
          kind,
          ...(name === '' ? {} : { name }),
          ...(namespace === '' ? {} : { namespace }),
          ...narrow,
        },
      ],
    },
  });
}

function fits({ group, kind, name, namespace }: IgnoreRule, key: CheckedObject['key']): boolean {
  return (
    matchesGlob(group, key.group) &&
    matchesGlob(kind, key.kind) &&
    (name === '' || name === key.name) &&
    (namespace === '' || namespace === key.namespace)
  );
}

/** Managers of fields outside of status that are neither ours nor people. */
function otherManagersOf({ metadata }: KubeObject): string[] {
  return (metadata.managedFields ?? [])
    .filter(
      ({ manager = '', subresource, fieldsV1 }) =>
        subresource !== 'status' &&
        !OWN_MANAGERS.includes(manager) &&
        !manager.startsWith('kubectl') &&
        isObject(fieldsV1) &&
        fieldsV1['f:spec'] !== undefined,
    )
    .map(({ manager = '' }) => manager);
}

/**
 * What is ignored is also left alone by a sync: otherwise it is written back, and where it cannot be changed the sync
 * fails.
 */
export function checkRespected({ parsed }: ParsedChecklistInput): Finding[] {
  if (parsed.syncPolicy.syncOptions.includes('RespectIgnoreDifferences=true')) return [];
  const add = writeYaml({ spec: { syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } } });
  const remedy = 'add RespectIgnoreDifferences=true';
  return parsed.ignoreDifferences.flatMap((rule, index): Finding[] => {
    const parts = partsOf(rule).filter(
      ({ pointer }) => pointer === undefined || !KEPT_BY_THE_SERVER.some((kept) => isBelow(pointer, kept)),
    );
    const fixed = parts.filter(
      ({ pointer }) =>
        pointer !== undefined &&
        immutableFields(rule.group, rule.kind).some((field) => isBelow(field, pointer) || isBelow(pointer, field)),
    );
    const field = `/spec/ignoreDifferences/${index}`;
    if (fixed.length > 0) {
      return [
        {
          state: 'fails',
          field,
          remedy,
          add,
          message:
            `${fixed.map(({ part }) => part).join(', ')} of ${kindOf(rule)} is immutable: the rule hides ` +
            'the difference, and the next sync fails because it still applies the field. Replace=true alone ' +
            'does not recreate the object',
        },
      ];
    }
    return parts.length === 0
      ? []
      : [
          {
            state: 'advised',
            field,
            remedy,
            add,
            message:
              `${parts.map(({ part }) => part).join(', ')} of ${kindOf(rule)} is ignored, but every sync ` +
              'resets it to the value in git',
          },
        ];
  });
}

interface Part {
  readonly part: string;
  /** Undefined for an expression that is no plain path, and for a manager. */
  readonly pointer: string | undefined;
}

function partsOf({ jsonPointers, jqPathExpressions, managedFieldsManagers }: IgnoreRule): Part[] {
  return [
    ...jsonPointers.map((part) => ({ part, pointer: part })),
    ...jqPathExpressions.map((part) => ({ part, pointer: plainPointer(part) })),
    ...managedFieldsManagers.map((part) => ({ part, pointer: undefined })),
  ];
}

/** `.spec.selector` as `/spec/selector`. */
function plainPointer(expression: string): string | undefined {
  const trimmed = expression.trim();
  if (trimmed === '.') return '';
  return /^(?:\.[A-Za-z_]\w*)+$/.test(trimmed) ? trimmed.replaceAll('.', '/') : undefined;
}

/** Whoever reads a rule later finds out why it is there. */
export function checkDocumented({ parsed, policy: { documentation } }: ParsedChecklistInput): Finding[] {
  return parsed.ignoreDifferences.flatMap((rule, index) => {
    const unknown = partsOf(rule).filter(
      ({ part }) =>
        !isKnownPattern(rule, part) && !(documentation !== undefined && isExplained(documentation, rule, part)),
    );
    if (unknown.length === 0) return [];
    const parts = unknown.map(({ part }) => part);
    const message = `the rule for ${parts.join(', ')} of ${kindOf(rule)} is not documented`;
    const add = `| ${kindOf(rule)} | ${parts.map((part) => `\`${part}\``).join(', ')} | why it may differ |\n`;
    const field = `/spec/ignoreDifferences/${index}`;
    return [
      documentation === undefined
        ? { state: 'unchecked' as const, field, message: `${message} as far as known; name your docs with --docs`, add }
        : { state: 'fails' as const, field, message, remedy: 'document it, with the reason', add },
    ];
  });
}

/** A line that names the kind, and the field as a pointer or with dots. */
function isExplained(documentation: string, { kind }: IgnoreRule, part: string): boolean {
  const dotted = part.startsWith('/') ? part.slice(1).replaceAll('/', '.') : part;
  return documentation.includes(kind) && (documentation.includes(part) || documentation.includes(dotted));
}

function kindOf({ group, kind }: IgnoreRule): string {
  return group === '' ? kind : `${group}/${kind}`;
}

/** A difference in a field that cannot be changed: no plain sync can settle it. */
export function checkImmutable({ objects, isLive, unseen, parsed }: ParsedChecklistInput): Finding[] {
  if (!isLive) return [{ state: 'unchecked', message: 'needs the live objects of a cluster' }];
  if (unseen !== undefined) return [{ state: 'unchecked', message: unseen.why }];
  return objects.flatMap(({ key, target, live, differences, origin }): Finding[] => {
    if (target === undefined || live === undefined) return [];
    const fixed = differences.filter(({ pointer }) =>
      immutableFields(key.group, key.kind).some((field) => isBelow(pointer, field)),
    );
    const options = [
      ...parsed.syncPolicy.syncOptions,
      ...(target.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '').split(',').map((word) => word.trim()),
    ];
    if (fixed.length === 0 || (options.includes('Replace=true') && options.includes('Force=true'))) return [];
    return [
      {
        state: 'fails',
        object: objectName(key),
        field: fixed.map(({ pointer }) => pointer).join(', '),
        where: origin,
        message:
          'git changes an immutable field' +
          (options.includes('Replace=true') ? '; Replace=true alone does not recreate the object' : ''),
        remedy:
          'to recreate it (downtime), annotate the object in git, or delete it once; to keep the live value, ' +
          'ignore the field and add RespectIgnoreDifferences=true',
        add: writeYaml({ metadata: { annotations: { 'argocd.argoproj.io/sync-options': 'Force=true,Replace=true' } } }),
      },
    ];
  });
}
