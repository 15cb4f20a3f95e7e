import { equal, isArray, isObject, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Analysis } from './analysis.js';
import { allowedValues, stepSchema } from './schema-step.js';

/** An object made up to try a check on, with the verdict it surely does not deserve: Healthy. */
export interface Specimen {
  readonly object: KubeObject;
  /** `failing`: it will not become healthy by itself. `waiting`: it is not there yet. */
  readonly state: 'failing' | 'waiting';
  /** Completes "an object whose ...". */
  readonly because: string;
  /**
   * `known`: this is how the kind fails. `derived`: the script or the CRD names the state. `guess`: only another
   * opinion can tell whether it means a failure for this kind.
   */
  readonly certainty: 'known' | 'derived' | 'guess';
  /** What to do, where the right answer is not plain from the state. */
  readonly hint?: string;
}

const FAILING = /fail|error|degrad|invalid|crash|abort|unhealthy|^lost$|^dead$/i;
const WAITING = /^(pending|waiting|creating|provisioning|initiali[sz]ing|building|unbound|queued)$/i;
const GOOD_WORD =
  /^(ready|available|healthy|succeeded|synced|reconciled|established|deployed|installed|accepted|programmed)$/;
const GOOD_ENDING = /[a-z](Ready|Available)$/;
const GOOD_CONDITION = new RegExp(`${GOOD_WORD.source}|${GOOD_ENDING.source}`, 'i');
const BAD_CONDITION = /fail|error|degraded|stalled|invalid|unhealthy|aborted|crash/i;
const STATE_FIELD = /^(phase|state|status|health|result)$|[a-z](Phase|State|Status)$/;

interface KnownState extends Pick<Specimen, 'state' | 'because' | 'hint'> {
  readonly status: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Kinds that fail in a way their checks must not hide, with a status that shows it. */
const KNOWN: Record<string, readonly KnownState[]> = {
  '/PersistentVolumeClaim': [
    {
      status: { phase: 'Pending' },
      annotations: { 'volume.kubernetes.io/storage-provisioner': 'disk.example.com' },
      state: 'failing',
      because: 'volume was asked for and never came (phase Pending)',
      // A claim that waits for its first pod must not hold up the wave of that pod.
      hint:
        'answer Progressing once the annotation volume.kubernetes.io/storage-provisioner or selected-node shows that ' +
        'a volume was asked for, and Healthy before: the check that argosy health apply installs does so',
    },
    { status: { phase: 'Lost' }, state: 'failing', because: 'phase is Lost, because its volume is gone' },
  ],
  '/Pod': [{ status: { phase: 'Failed' }, state: 'failing', because: 'phase is Failed' }],
  'apps/Deployment': [
    {
      status: {
        replicas: 1,
        conditions: [
          { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
        ],
      },
      state: 'failing',
      because: 'rollout exceeded its deadline',
    },
  ],
  'batch/Job': [
    {
      status: {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'failed' }],
      },
      state: 'failing',
      because: 'condition Failed is True',
    },
  ],
  'serving.kserve.io/InferenceService': [badCondition('Ready', 'False')],
  'serving.knative.dev/Service': [badCondition('Ready', 'False')],
  'cert-manager.io/Certificate': [badCondition('Ready', 'False')],
  'cert-manager.io/Issuer': [badCondition('Ready', 'False')],
  'cert-manager.io/ClusterIssuer': [badCondition('Ready', 'False')],
  'external-secrets.io/ExternalSecret': [badCondition('Ready', 'False')],
  'external-secrets.io/SecretStore': [badCondition('Ready', 'False')],
  'external-secrets.io/ClusterSecretStore': [badCondition('Ready', 'False')],
  'mlops.mlops.dev/NotebookValidationJob': [
    { status: { phase: 'Failed', message: 'failed' }, state: 'failing', because: 'phase is Failed' },
  ],
  'argoproj.io/Application': [
    {
      status: { health: { status: 'Degraded' }, sync: { status: 'Synced' } },
      state: 'failing',
      because: 'health is Degraded',
    },
  ],
};

const GENERAL = [
  badCondition('Ready', 'False'),
  badCondition('Available', 'False'),
  badCondition('Stalled', 'True'),
  badCondition('Degraded', 'True'),
  { status: { phase: 'Failed', message: 'failed' }, because: 'phase is Failed' },
  { status: { phase: 'Pending' }, because: 'phase is Pending' },
];

function badCondition(type: string, status: string): { status: JsonObject; state: 'failing'; because: string } {
  const conditions = [
    { type, status, reason: 'Failed', message: 'failed', lastTransitionTime: '2025-01-01T00:00:00Z' },
  ];
  return { status: { conditions, observedGeneration: 1 }, state: 'failing', because: `condition ${type} is ${status}` };
}

/** Objects to try a check on, by what its kind is known for, what the script itself tests, and what the CRD allows. */
export function makeSpecimens(analysis: Analysis): Specimen[] {
  const { group, kind, schema } = analysis.settings;
  const build = (status: JsonObject | undefined, annotations?: KnownState['annotations']): KubeObject => ({
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind: kind === '' ? 'Thing' : kind,
    metadata: {
      ...{ name: 'example', namespace: 'default', generation: 1, uid: '00000000-0000-0000-0000-000000000000' },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {},
    ...(status === undefined ? {} : { status }),
  });
  const known = Object.hasOwn(KNOWN, `${group}/${kind}`) ? (KNOWN[`${group}/${kind}`] ?? []) : [];
  return [
    ...known.map(
      ({ status, annotations, ...rest }): Specimen => ({
        ...rest,
        object: build(status, annotations),
        certainty: 'known',
      }),
    ),
    ...[...stateSpecimens(analysis), ...conditionSpecimens(analysis)]
      .filter(({ status }) => !known.some((each) => equal(each.status, status)))
      .map(({ status, ...rest }): Specimen => ({ ...rest, object: build(status), certainty: 'derived' })),
    ...([...analysis.reads].some((path) => path.startsWith('status'))
      ? [
          {
            object: build(undefined),
            state: 'waiting' as const,
            because: 'controller has not written a status yet',
            certainty: 'derived' as const,
          },
        ]
      : []),
    ...GENERAL.map(({ status, because }) => ({
      because,
      object: build(status),
      state: 'failing' as const,
      certainty: fits(schema, status) ? ('derived' as const) : ('guess' as const),
    })),
  ];
}

/** Whether the CRD has the fields of a made-up status; a phase must be one of its values. */
function fits(schema: JsonObject | undefined, status: JsonObject): boolean {
  const step = stepSchema(schema, 'status');
  if (step.kind !== 'known') return false;
  if (status.phase !== undefined) {
    const phase = stepSchema(step.schema, 'phase');
    return (
      phase.kind === 'known' &&
      status.phase !== 'Pending' &&
      allowedValues(phase.schema)?.includes(status.phase) === true
    );
  }
  const [condition] = isArray(status.conditions) ? status.conditions : [];
  // Only Ready is used alike by everyone who has conditions.
  return isObject(condition) && condition.type === 'Ready' && stepSchema(step.schema, 'conditions').kind === 'known';
}

interface SpecimenStatus {
  readonly status: JsonObject;
  readonly state: Specimen['state'];
  readonly because: string;
}

/** For each field such as status.phase that the script compares with texts: every bad value it or the CRD knows. */
function stateSpecimens(analysis: Analysis): SpecimenStatus[] {
  const fields = new Map<string, { path: readonly string[]; values: Set<string> }>();
  for (const { path, value } of analysis.comparisons.values()) {
    if (
      path[0] !== 'status' ||
      path.includes('[]') ||
      !STATE_FIELD.test(path.at(-1) ?? '') ||
      typeof value !== 'string'
    )
      continue;
    const field = fields.get(path.join('.')) ?? { path, values: new Set() };
    field.values.add(value);
    fields.set(path.join('.'), field);
  }
  return [...fields.values()].flatMap(({ path, values }) => {
    const enumerated = (allowedValues(schemaAt(analysis.settings.schema, path)) ?? []).filter(
      (value): value is string => typeof value === 'string',
    );
    const all = [...new Set([...values, ...enumerated])];
    return [...all.filter((value) => FAILING.test(value)), ...all.filter((value) => WAITING.test(value))].map(
      (value): SpecimenStatus => ({
        status: nest(path.slice(1), value),
        state: FAILING.test(value) ? 'failing' : 'waiting',
        because: `${path.slice(1).join('.')} is ${value}`,
      }),
    );
  });
}

function schemaAt(schema: JsonObject | undefined, path: readonly string[]): JsonObject | undefined {
  let at = schema;
  for (const name of path) {
    const step = stepSchema(at, name);
    if (step.kind !== 'known') return undefined;
    at = step.schema;
  }
  return at;
}

function nest(path: readonly string[], value: string): JsonObject {
  const inner = path.reduceRight<JsonObject | string>((below, name) => ({ [name]: below }), value);
  return { message: 'made up', observedGeneration: 1, ...(isObject(inner) ? inner : {}) };
}

/** For each type of condition that the script compares with: that condition alone, in its bad state. */
function conditionSpecimens(analysis: Analysis): SpecimenStatus[] {
  return [...analysis.comparisons.values()].flatMap(({ path, value }): SpecimenStatus[] => {
    const [root, list, element, field] = path;
    if (
      path.length !== 4 ||
      root !== 'status' ||
      list === undefined ||
      element !== '[]' ||
      field !== 'type' ||
      typeof value !== 'string'
    )
      return [];
    const isBad = BAD_CONDITION.test(value);
    if (!isBad && !GOOD_CONDITION.test(value)) return [];
    const { status, because } = badCondition(value, isBad ? 'True' : 'False');
    return [
      { status: list === 'conditions' ? status : { [list]: own(status, 'conditions') }, state: 'failing', because },
    ];
  });
}
