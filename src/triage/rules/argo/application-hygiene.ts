import { keyText } from '../../../model/kubernetes/index.js';
import { type JsonObject, numberAt, objectsAt, valueAt } from '../../../model/json/index.js';
import {
  applicationSources,
  type Graph,
  nodeText,
  type Node,
  conditionIs,
  conditionOf,
  isUnfinished,
} from '../../graph/index.js';
import { textAt, textsAt } from '../../json/index.js';
import type { Finding } from '../../findings/index.js';
import { act, change, delegate, fact, leaf, setting, shellWord } from '../make-finding.js';
import { checkedKinds, lastWrite, settingsOf } from './settings.js';

/**
 * What an application says beside how it is: revisions, rules and owners that are wrong without anything being down.
 */
export function applicationHygiene(app: Node, graph: Graph): readonly Finding[] {
  return [
    ...otherRevision(app, graph),
    ...hidesDrift(app, graph),
    ...selfHealConflicts(app, graph),
    ...unchecked(app, graph),
    ...oldModelCheck(app, graph),
    ...childrenUnwatched(app, graph),
    ...staleHealth(app, graph),
  ];
}

const MIN_APPLICATIONS = 4;

/** Nearly all applications of a repository follow one revision, and this one another. */
function otherRevision(app: Node, graph: Graph): Finding[] {
  const revisions = graph.once('revisions by repository', () => {
    const map = new Map<string, Map<string, number>>();
    for (const each of graph.applications)
      for (const { source } of applicationSources(each.object)) {
        if (textAt(source, 'chart') !== '') continue;
        const counts = map.get(textAt(source, 'repoURL')) ?? new Map<string, number>();
        counts.set(revisionOf(source), (counts.get(revisionOf(source)) ?? 0) + 1);
        map.set(textAt(source, 'repoURL'), counts);
      }
    return map;
  });
  // Where it cannot be compared, that is told, with the same advice.
  if (
    objectsAt(app.object, 'status', 'conditions').some((condition) =>
      /^(ComparisonError|InvalidSpecError)$/.test(textAt(condition, 'type')),
    )
  )
    return [];
  return applicationSources(app.object).flatMap(({ source, field }) => {
    const counts = revisions.get(textAt(source, 'repoURL')) ?? new Map<string, number>();
    const all = [...counts.values()].reduce((a, b) => a + b, 0);
    const [usual] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    if (
      textAt(source, 'chart') !== '' ||
      usual === undefined ||
      usual[0] === revisionOf(source) ||
      usual[1] < MIN_APPLICATIONS ||
      usual[1] / all < 0.8
    )
      return [];
    return [
      leaf(
        'A03',
        app,
        'reconcile',
        `${nodeText(app)} follows ${revisionOf(source)}, while ${usual[1]} of ${all} applications of its ` +
          `repository follow ${usual[0]}`,
        {
          impact: 'drift',
          evidence: [fact(app, `${field}.targetRevision`, revisionOf(source))],
          field: `${field}.targetRevision`,
          fix: change(app, graph, `follow ${usual[0]}, unless this is meant`, {
            risk: 'none',
            edits: [setting(app, `${field}.targetRevision`, usual[0])],
          }),
        },
      ),
    ];
  });
}

function revisionOf(source: JsonObject): string {
  return textAt(source, 'targetRevision') || 'HEAD';
}

const WHOLE = /^\/?(spec)?\/?$/;

/** A rule that ignores a whole spec hides every change of it. */
function hidesDrift(app: Node, graph: Graph): Finding[] {
  return objectsAt(app.object, 'spec', 'ignoreDifferences').flatMap((rule, index) => {
    const pointers = textsAt(rule, 'jsonPointers').filter((pointer) => WHOLE.test(pointer));
    const paths = textsAt(rule, 'jqPathExpressions').filter((path) => /^\.(spec)?$/.test(path.trim()));
    const [hiding] = [...pointers, ...paths];
    if (hiding === undefined) return [];
    const field = `spec.ignoreDifferences[${index}].${pointers.length > 0 ? 'jsonPointers' : 'jqPathExpressions'}`;
    return [
      leaf(
        'A33',
        app,
        'reconcile',
        `${nodeText(app)} ignores the whole ` +
          `${hiding === '' || hiding === '/' || hiding === '.' ? 'object' : 'spec'} of every ` +
          `${textAt(rule, 'kind') || 'kind'}, so drift is hidden`,
        {
          impact: 'drift',
          evidence: [fact(app, field, hiding)],
          field,
          fix: change(app, graph, 'ignore only the fields that a controller owns: argosy drift proposes them', {
            risk: 'none',
          }),
        },
      ),
    ];
  });
}

/** Self-heal again and again: somebody else writes the same field. */
export function selfHealConflicts(app: Node, graph: Graph): Finding[] {
  const attempts = numberAt(app.object, 'status', 'operationState', 'operation', 'sync', 'autoHealAttemptsCount') ?? 0;
  if (attempts < 3) return [];
  const different = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'status') === 'OutOfSync',
  );
  return different.slice(0, 3).flatMap((resource) => {
    const node = graph.store.get({
      group: textAt(resource, 'group'),
      kind: textAt(resource, 'kind'),
      namespace: textAt(resource, 'namespace'),
      name: textAt(resource, 'name'),
    });
    const managers = objectsAt(node?.object, 'metadata', 'managedFields')
      .filter((entry) => textAt(entry, 'subresource') === '')
      .sort((a, b) => textAt(b, 'time').localeCompare(textAt(a, 'time')))
      .map((entry) => textAt(entry, 'manager'));
    const others = managers.filter((manager) => !/^(argocd|argosy)/.test(manager));
    if (node === undefined || others.length === 0) return [];
    return [
      leaf(
        'A32',
        app,
        'reconcile',
        `${nodeText(app)} healed ${nodeText(node)} ${attempts} times, and ${others[0] ?? ''} changes it back`,
        {
          blamed: node,
          field: 'metadata.managedFields',
          evidence: [
            fact(app, 'status.operationState.operation.sync.autoHealAttemptsCount', attempts),
            fact(node, 'metadata.managedFields[].manager', managers.join(', ')),
          ],
          fix: change(node, graph, `let one of them own the field: take it out of git, or stop ${others[0] ?? ''}`, {
            risk: 'none',
          }),
        },
      ),
    ];
  });
}

/** A kind without a health check counts as done at once: later waves did not wait for it. */
function unchecked(app: Node, graph: Graph): Finding[] {
  const resources = objectsAt(app.object, 'status', 'resources');
  const known = checkedKinds(graph, app.key.namespace);
  const found = new Map<string, Finding>();
  for (const resource of resources) {
    const [group, kind] = [textAt(resource, 'group'), textAt(resource, 'kind')];
    const id = `${group}_${kind}`;
    if (
      !group.includes('.') ||
      group.endsWith('.k8s.io') ||
      valueAt(resource, 'health') !== undefined ||
      known.has(id) ||
      found.has(id)
    )
      continue;
    const node = graph.store.get({
      group,
      kind,
      namespace: textAt(resource, 'namespace'),
      name: textAt(resource, 'name'),
    });
    const isOpen = isUnfinished(node?.object) || conditionIs(node?.object, 'Ready', 'False');
    const later = resources.some(
      (other) =>
        (numberAt(other, 'syncWave') ?? 0) > (numberAt(resource, 'syncWave') ?? 0) &&
        textAt(other, 'status') === 'Synced',
    );
    if (node?.object === undefined || !isOpen || !later) continue;
    const field = `data['resource.customizations.health.${id}']`;
    found.set(
      id,
      leaf(
        'A25',
        app,
        'reconcile',
        `${nodeText(node)} is not finished and later waves of ${nodeText(app)} did not wait: nothing says ` +
          `when a ${kind} is healthy`,
        {
          impact: 'drift',
          blamed: settingsOf(graph, app.key.namespace),
          field,
          signature: `no check ${id}`,
          commonTitle: `nothing says when a ${kind} is healthy, so waves do not wait for it`,
          evidence: [
            fact(app, `status.resources[${kind}/${node.key.name}].health`, null),
            fact(node, 'status.phase', textAt(node.object, 'status', 'phase')),
          ],
          fix: act(
            `add a health check for ${id} to argocd-cm, or to the ArgoCD object where an operator writes ` +
              'it; a hook that waits is no substitute',
            ['argosy health apply'],
            { verify: 'argosy health verify' },
          ),
        },
      ),
    );
  }
  return [...found.values()];
}

/** Releases that read the condition Stopped right, by minor version. */
const FIXED: readonly (readonly [number, number, number])[] = [
  [3, 0, 21],
  [3, 1, 10],
  [3, 2, 1],
];

/** A model server that serves and counts as Progressing: an old check of Argo CD takes `Stopped: False` for a fault. */
function oldModelCheck(app: Node, graph: Graph): Finding[] {
  const seen = objectsAt(app.object, 'status', 'resources').filter(
    (resource) =>
      textAt(resource, 'kind') === 'InferenceService' && textAt(resource, 'health', 'status') === 'Progressing',
  );
  const node = seen
    .map((resource) =>
      graph.store.get({
        group: 'serving.kserve.io',
        kind: 'InferenceService',
        namespace: textAt(resource, 'namespace'),
        name: textAt(resource, 'name'),
      }),
    )
    .find((each) => conditionIs(each?.object, 'Ready', 'True') && conditionIs(each?.object, 'Stopped', 'False'));
  if (node === undefined) return [];
  const version = versionOf(graph);
  const isFixed =
    version !== undefined &&
    (version[0] > 3 ||
      (version[0] === 3 &&
        (version[1] > 2 ||
          FIXED.some(([major, minor, patch]) => version[0] === major && version[1] === minor && version[2] >= patch))));
  const hasOverride = checkedKinds(graph, app.key.namespace).has('serving.kserve.io_InferenceService');
  const say =
    isFixed && hasOverride
      ? 'an old check in argocd-cm hides the right one of this release: take it out'
      : 'upgrade Argo CD to 3.0.21, 3.1.10, 3.2.1 or 3.3.0, or add a check to argocd-cm until then';
  return [
    leaf(
      'A40',
      app,
      'ready',
      `${nodeText(node)} serves and counts as Progressing, because the check takes its condition ` +
        'Stopped=False for a fault',
      {
        impact: 'drift',
        blamed: settingsOf(graph, app.key.namespace),
        field: "data['resource.customizations.health.serving.kserve.io_InferenceService']",
        signature: 'InferenceService Stopped',
        commonTitle: 'model servers that serve count as Progressing',
        evidence: [
          fact(node, 'status.conditions[Stopped]', 'False'),
          fact(node, 'status.conditions[Ready]', 'True'),
          { of: 'Argo CD', path: 'version', value: version?.join('.') ?? 'unknown' },
        ],
        fix: act(say, ['argosy health apply'], { verify: 'argosy health verify' }),
      },
    ),
  ];
}

/** The release of Argo CD, by the image of its controller. */
function versionOf(graph: Graph): readonly [number, number, number] | undefined {
  return graph.once('version of Argo CD', () => {
    const images = ['StatefulSet', 'Deployment']
      .flatMap((kind) => graph.store.ofKind('apps', kind))
      .filter(({ key }) => key.name.includes('application-controller'))
      .flatMap(({ object }) =>
        objectsAt(object, 'spec', 'template', 'spec', 'containers').map((container) => textAt(container, 'image')),
      );
    const [, major, minor, patch] =
      images.map((image) => /:v?(\d+)\.(\d+)\.(\d+)/.exec(image)).find((match) => match !== null) ?? [];
    return major === undefined ? undefined : ([Number(major), Number(minor), Number(patch)] as const);
  });
}

/** A parent that orders its children by waves without a health check of Application waits for none of them. */
function childrenUnwatched(app: Node, graph: Graph): Finding[] {
  const children = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'kind') === 'Application' && textAt(resource, 'group') === 'argoproj.io',
  );
  const waves = new Set(children.map((child) => numberAt(child, 'syncWave') ?? 0));
  const settings = settingsOf(graph, app.key.namespace);
  if (
    waves.size < 2 ||
    settings.object === undefined ||
    children.some((child) => valueAt(child, 'health') !== undefined) ||
    checkedKinds(graph, app.key.namespace).has('argoproj.io_Application')
  )
    return [];
  return [
    leaf(
      'A41',
      app,
      'reconcile',
      `${nodeText(app)} orders its children by waves and waits for none of them: Argo CD has no health ` +
        'check of Application',
      {
        impact: 'note',
        blamed: settings,
        field: "data['resource.customizations.health.argoproj.io_Application']",
        signature: 'health of Application',
        commonTitle: 'parents do not wait for their children: Argo CD has no health check of Application',
        evidence: [fact(app, 'status.resources[Application].syncWave', [...waves].join(', '))],
        fix: act('add the documented check of Application to argocd-cm', ['argosy health apply'], {
          verify: 'argosy health verify',
        }),
      },
    ),
  ];
}

/** The checks changed after this application was last looked at. */
function staleHealth(app: Node, graph: Graph): Finding[] {
  const settings = settingsOf(graph, app.key.namespace);
  const [written, looked] = [lastWrite(settings.object), Date.parse(textAt(app.object, 'status', 'reconciledAt'))];
  const health = textAt(app.object, 'status', 'health', 'status');
  const kinds = checkedKinds(graph, app.key.namespace);
  const isConcerned = objectsAt(app.object, 'status', 'resources').some((resource) =>
    kinds.has(`${textAt(resource, 'group')}_${textAt(resource, 'kind')}`),
  );
  if (!(written > looked) || health === 'Healthy' || health === '' || !isConcerned) return [];
  return [
    leaf('A52', app, 'reconcile', `the health of ${nodeText(app)} is older than the checks in argocd-cm`, {
      impact: 'note',
      field: "metadata.annotations['argocd.argoproj.io/refresh']",
      signature: 'older than the checks',
      commonTitle: 'applications whose health is older than the checks',
      evidence: [
        fact(app, 'status.reconciledAt', textAt(app.object, 'status', 'reconciledAt')),
        fact(settings, 'metadata.managedFields[].time', new Date(written).toISOString()),
      ],
      fix: act('refresh it', [`argocd app get ${shellWord(app.key.name)} --hard-refresh`], {
        actions: [
          {
            kind: 'merge',
            object: app.key,
            patch: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } },
          },
        ],
      }),
    }),
  ];
}

/** A set that makes no applications, or not all. */
export function applicationSetRules(node: Node, graph: Graph): readonly Finding[] {
  const error = conditionOf(node.object, 'ErrorOccurred');
  const generated = conditionOf(node.object, 'ParametersGenerated');
  const bad =
    textAt(error, 'status') === 'True' ? error : textAt(generated, 'status') === 'False' ? generated : undefined;
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  const say = `${nodeText(node)} makes no applications: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`;
  const ghost = graph.edges(node).find(({ to }) => to.state === 'ghost')?.to;
  if (ghost !== undefined) return [delegate('A44', node, 'reconcile', say, { evidence, target: ghost })];
  return [
    leaf('A44', node, 'reconcile', say, {
      evidence,
      field: /Render|Template/i.test(textAt(bad, 'reason')) ? 'spec.template' : 'spec.generators',
      fix: change(node, graph, 'correct what the message names', { risk: 'none' }),
    }),
  ];
}

/** One definition of the whole cluster in two applications: an operator is installed twice. */
export function installedTwice(node: Node, graph: Graph): readonly Finding[] {
  const owners =
    graph
      .once('applications by definition', () => {
        const map = new Map<string, Node[]>();
        for (const app of graph.applications)
          for (const resource of objectsAt(app.object, 'status', 'resources')) {
            if (textAt(resource, 'kind') !== 'CustomResourceDefinition') continue;
            const id = keyText({
              group: textAt(resource, 'group'),
              kind: textAt(resource, 'kind'),
              namespace: '',
              name: textAt(resource, 'name'),
            });
            map.set(id, [...(map.get(id) ?? []), app]);
          }
        return map;
      })
      .get(node.id) ?? [];
  if (owners.length < 2) return [];
  const names = owners.map(({ key }) => key.name).sort();
  return owners.map((app) =>
    leaf('A50', app, 'reconcile', `${names.join(' and ')} both install ${node.key.name} for the whole cluster`, {
      impact: 'drift',
      signature: `twice ${names.join(' ')}`,
      commonTitle: `${names.join(' and ')} install the same operator for the whole cluster`,
      field: 'spec.source',
      evidence: [
        fact(app, `status.resources[CustomResourceDefinition/${node.key.name}]`, 'Synced or not, it is in both'),
      ],
      fix: act(
        'keep one of them; delete the other without what it delivered',
        owners.slice(1).map(({ key }) => `argocd app delete ${shellWord(key.name)} --cascade=false`),
        { risk: 'delete-recreate', reversible: false },
      ),
    }),
  );
}
