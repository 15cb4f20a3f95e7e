import { isFatal, lintSettings } from '../../health/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { isObject, objectsAt, textAt } from '../../model/json/index.js';
import { conditionsOf } from './apply.js';
import { checkKey, checkTitle } from './read-checks.js';
import { checksIn, dataOf, type SettingsLocation } from './find-settings.js';

/** What a look at the cluster gave. */
export interface VerifyFacts {
  readonly settings: SettingsLocation;
  readonly applications: readonly KubeObject[];
  /** Every InferenceService. */
  readonly services: readonly KubeObject[];
  /** Events about edits of argocd-cm that were reverted, the last one last. */
  readonly reverts: readonly { readonly message: string; readonly at: string }[];
  /** Operators of Argo CD that are installed. */
  readonly operators: readonly { readonly title: string; readonly isReady: boolean }[];
  /** Whether a controller of Argosy leads in this cluster. */
  readonly isArgosyAtWork: boolean;
}

/** Something that is wrong, under the step that finds it. */
export interface Violation {
  readonly step: 1 | 2 | 3 | 4;
  /** The situation, by the name that guides use. */
  readonly issue:
    | 'still-progressing'
    | 'not-in-configmap'
    | 'overwritten'
    | 'script-errors'
    | 'operator-not-reconciling'
    | 'no-check';
  readonly what: string;
  readonly fix: string;
}

const SERVICE_CHECK = { group: 'serving.kserve.io', kind: 'InferenceService' };

/** Everything that is wrong, in the order of the steps. */
export function findViolations(facts: VerifyFacts): Violation[] {
  return [
    ...absentCheck(facts),
    ...scriptErrors(facts),
    ...operatorViolations(facts),
    ...undelivered(facts),
    ...overwritten(facts),
    ...brokenHealth(facts),
    ...stillProgressing(facts),
  ].sort((a, b) => a.step - b.step);
}

function absentCheck({ settings: { argocd, map, namespace } }: VerifyFacts): Violation[] {
  const isThere =
    argocd === undefined
      ? dataOf(map).has(checkKey(SERVICE_CHECK))
      : checksIn(argocd.object).some(({ group, kind }) => group === SERVICE_CHECK.group && kind === SERVICE_CHECK.kind);
  if (isThere) return [];
  return [
    {
      step: 1,
      issue: 'no-check',
      what: `no health check for InferenceService in ${argocd === undefined ? 'argocd-cm' : 'the ArgoCD CR'}`,
      fix: `argosy health apply -n ${namespace}`,
    },
  ];
}

/** Scripts that cannot run, wherever they are written. */
function scriptErrors({ settings: { argocd, map, namespace } }: VerifyFacts): Violation[] {
  const findings = lintSettings({
    argocds: argocd === undefined ? [] : [{ object: argocd.object }],
    configMaps: map === undefined ? [] : [{ object: map }],
    crds: [],
  });
  const broken = findings.filter(
    (finding) => isFatal(finding) || (finding.rule === 'malformed-key' && finding.severity === 'error'),
  );
  return broken.map(({ where, message, hint }) => {
    const isInArgoCD = where.name.startsWith('ArgoCD');
    const edited = isInArgoCD ? `argocd ${argocd?.object.metadata.name ?? ''}` : 'configmap argocd-cm';
    return {
      step: isInArgoCD ? 1 : 2,
      issue: 'script-errors',
      what: `${where.key ?? where.name}, line ${where.line}: ${message}`,
      fix: `${hint}; try it with argosy health eval -f OBJECT --lua FILE ` + `(kubectl edit ${edited} -n ${namespace})`,
    };
  });
}

/** Nobody brings the ArgoCD object into its ConfigMap. */
function operatorViolations({ settings: { argocd, namespace }, operators, isArgosyAtWork }: VerifyFacts): Violation[] {
  if (argocd === undefined) return [];
  const { name = '', generation } = argocd.object.metadata;
  const down = operators.filter(({ isReady }) => !isReady).map(({ title }) => title);
  if (!operators.some(({ isReady }) => isReady) && !isArgosyAtWork) {
    const what =
      down.length === 0
        ? 'no operator is running: neither that of Argo CD nor the controller of Argosy'
        : `the operator has no ready replica: ${down.join(', ')}`;
    const [first] = down;
    return [
      {
        step: 2,
        issue: 'operator-not-reconciling',
        what,
        fix:
          first === undefined
            ? 'install the operator, or start argosy controller'
            : `kubectl describe ${first.replace('Deployment ', 'deployment -n ').replace('/', ' ')}, and its logs`,
      },
    ];
  }
  const reconciled = conditionsOf(argocd.object).find(({ type }) => type === 'Reconciled');
  if (reconciled?.status === 'False')
    return [
      {
        step: 2,
        issue: 'operator-not-reconciling',
        what: `the operator reports: ${String(reconciled.message)}`,
        fix: `kubectl get argocd ${name} -n ${namespace} -o yaml shows its status`,
      },
    ];
  if (
    typeof reconciled?.observedGeneration === 'number' &&
    generation !== undefined &&
    reconciled.observedGeneration < generation
  ) {
    return [
      {
        step: 2,
        issue: 'operator-not-reconciling',
        what:
          `the operator has not reconciled the latest generation of ArgoCD ${name} (` +
          `${reconciled.observedGeneration} of ${generation})`,
        fix: 'check the logs of the operator',
      },
    ];
  }
  return [];
}

/** In the ArgoCD object, and not, or not so, in argocd-cm. */
function undelivered({ settings: { argocd, map, namespace } }: VerifyFacts): Violation[] {
  if (argocd === undefined) return [];
  const data = dataOf(map);
  const wrong = checksIn(argocd.object).flatMap(({ group, kind, check }) => {
    const of = { group: typeof group === 'string' ? group : '', kind: typeof kind === 'string' ? kind : '' };
    const found = data.get(checkKey(of));
    if (found?.trim() === (typeof check === 'string' ? check.trim() : undefined)) return [];
    return [`${checkTitle(of)} ${found === undefined ? 'is not in argocd-cm' : 'has another script in argocd-cm'}`];
  });
  if (wrong.length === 0) return [];
  const refused = conditionsOf(argocd.object).find(({ type, status }) => type === 'ChecksValid' && status === 'False');
  const fix =
    refused === undefined
      ? 'the operator has not copied it: check its logs, or trigger it with kubectl annotate ' +
        `argocd ${argocd.object.metadata.name ?? ''} -n ${namespace} --overwrite looked-at="$(date +%s)"`
      : `the operator rejected it: ${String(refused.message)}`;
  return [{ step: 2, issue: 'not-in-configmap', what: wrong.join('; '), fix }];
}

/** When the spec of the ArgoCD resource was last written. */
function specChangedAt(argocd: KubeObject): number {
  const times = (argocd.metadata.managedFields ?? [])
    .filter(
      ({ fieldsV1, subresource }) => subresource === undefined && isObject(fieldsV1) && isObject(fieldsV1['f:spec']),
    )
    .map(({ time }) => Date.parse(time ?? ''));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

/** What somebody wrote into a ConfigMap that is not theirs. */
function overwritten({ settings: { argocd, map }, reverts: events }: VerifyFacts): Violation[] {
  // Who has changed the ArgoCD resource since an edit was reverted has done what the event advised: it is history.
  const since = argocd === undefined ? 0 : specChangedAt(argocd.object);
  const reverts = events.filter(({ at }) => !(Date.parse(at) < since));
  const edits =
    argocd === undefined || map === undefined
      ? []
      : lintSettings({ argocds: [{ object: argocd.object }], configMaps: [{ object: map }], crds: [] })
          .filter(({ rule, where }) => rule === 'operator-reverts' && where.name.startsWith('ConfigMap'))
          .filter(
            ({ where }) =>
              !checksIn(argocd.object).some(
                ({ group, kind }) => checkKey({ group: String(group ?? ''), kind: String(kind ?? '') }) === where.key,
              ),
          );
  return [
    ...edits.map(
      ({ where, message, hint }): Violation => ({
        step: 2,
        issue: 'overwritten',
        what: `${where.key ?? ''}: ${message}`,
        fix: hint,
      }),
    ),
    ...(reverts.length === 0
      ? []
      : [
          {
            step: 2 as const,
            issue: 'overwritten' as const,
            what:
              `${reverts.length === 1 ? 'an edit' : `${reverts.length} edits`} of argocd-cm ` +
              `${reverts.length === 1 ? 'was' : 'were'} reverted, the last one: ${reverts.at(-1)?.message ?? ''}`,
            fix: 'change the ArgoCD CR, not the ConfigMap',
          },
        ]),
  ];
}

/** Applications whose objects cannot be judged because a script fails. */
function brokenHealth({ applications }: VerifyFacts): Violation[] {
  return applications.flatMap((application): Violation[] => {
    const failing = objectsAt(application, 'status', 'conditions').find(
      (condition) =>
        textAt(condition, 'type') === 'ComparisonError' &&
        /^(health of |error setting app health)/.test(textAt(condition, 'message')),
    );
    return failing === undefined
      ? []
      : [
          {
            step: 3,
            issue: 'script-errors',
            what: `${application.metadata.name ?? ''}: ${textAt(failing, 'message').trim()}`,
            fix: 'fix the script: argosy health lint --cluster shows the line',
          },
        ];
  });
}

/** An application waits although every model server of it is ready. */
function stillProgressing({ applications, services, settings: { namespace } }: VerifyFacts): Violation[] {
  return applications.flatMap((application): Violation[] => {
    const own = objectsAt(application, 'status', 'resources').filter(
      (resource) => textAt(resource, 'kind') === SERVICE_CHECK.kind,
    );
    const live = own.map((resource) =>
      services.find(
        ({ metadata }) =>
          metadata.name === textAt(resource, 'name') && metadata.namespace === textAt(resource, 'namespace'),
      ),
    );
    if (
      textAt(application, 'status', 'health', 'status') !== 'Progressing' ||
      own.length === 0 ||
      !live.every((service) => service !== undefined && isReady(service))
    )
      return [];
    const { name = '', annotations = {} } = application.metadata;
    const isSkipped = annotations['argocd.argoproj.io/skip-reconcile'] === 'true';
    const why = isSkipped ? ': it is not reconciled because of its annotation argocd.argoproj.io/skip-reconcile' : '';
    const annotation = isSkipped ? 'argocd.argoproj.io/skip-reconcile-' : '--overwrite argocd.argoproj.io/refresh=hard';
    return [
      {
        step: 4,
        issue: 'still-progressing',
        what: `${name} is still Progressing although its InferenceServices are ready${why}`,
        fix: `kubectl annotate application.argoproj.io ${name} -n ${namespace} ${annotation}`,
      },
    ];
  });
}

function isReady(service: KubeObject): boolean {
  return conditionsOf(service).some(({ type, status }) => type === 'Ready' && status === 'True');
}
