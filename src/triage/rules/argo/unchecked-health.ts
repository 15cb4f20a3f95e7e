import { numberAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { conditionIs, type Graph, isUnfinished, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, fact, kubectlName, leaf, shellWord } from '../make-finding.js';
import { checkedKinds, lastWrite, settingsOf } from './settings.js';

/** A kind without a health check counts as done at once: later waves did not wait for it. */
export function unchecked(app: Node, graph: Graph): Finding[] {
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
        `${nodeText(node)} is not done, but later waves of ${nodeText(app)} did not wait: ` +
          `${kind} has no health check`,
        {
          blamed: settingsOf(graph, app.key.namespace),
          field,
          signature: `no check ${id}`,
          commonTitle: `${kind} has no health check, so sync waves do not wait for it`,
          evidence: [
            fact(app, `status.resources[${kind}/${node.key.name}].health`, null),
            fact(node, 'status.phase', textAt(node.object, 'status', 'phase')),
          ],
          fix: act(
            `add a health check for ${id} to argocd-cm, or to the ArgoCD resource if an operator manages ` +
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

const MODEL_CHECK = '/data/resource.customizations.health.serving.kserve.io_InferenceService';

/** A check that is there already is replaced only when somebody says so. */
function installCommand(
  settings: Node,
  { hasOverride, isFixed }: { readonly hasOverride: boolean; readonly isFixed: boolean },
): string {
  if (!hasOverride) return 'argosy health apply';
  if (!isFixed || settings.object === undefined) return 'argosy health apply --force';
  return `kubectl patch ${kubectlName(settings)} --type json -p '[{"op":"remove","path":"${MODEL_CHECK}"}]'`;
}

/** Releases that read the condition Stopped right, by minor version. */
const FIXED: readonly (readonly [number, number, number])[] = [
  [3, 0, 21],
  [3, 1, 10],
  [3, 2, 1],
];

/** A Ready InferenceService shown as Progressing: an old check of Argo CD takes `Stopped: False` for a failure. */
export function oldModelCheck(app: Node, graph: Graph): Finding[] {
  const progressing = objectsAt(app.object, 'status', 'resources').filter(
    (resource) =>
      textAt(resource, 'kind') === 'InferenceService' && textAt(resource, 'health', 'status') === 'Progressing',
  );
  const node = progressing
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
      ? 'an old check in argocd-cm overrides the fixed one of this release: remove it'
      : 'upgrade Argo CD to 3.0.21, 3.1.10, 3.2.1 or 3.3.0, or add a check to argocd-cm until then';
  return [
    leaf(
      'A40',
      app,
      'ready',
      `${nodeText(node)} is Ready but shown as Progressing: the health check takes its condition ` +
        'Stopped=False for a failure',
      {
        blamed: settingsOf(graph, app.key.namespace),
        field: "data['resource.customizations.health.serving.kserve.io_InferenceService']",
        signature: 'InferenceService Stopped',
        commonTitle: 'Ready InferenceServices are shown as Progressing',
        evidence: [
          fact(node, 'status.conditions[Stopped]', 'False'),
          fact(node, 'status.conditions[Ready]', 'True'),
          { of: 'Argo CD', path: 'version', value: version?.join('.') ?? 'unknown' },
        ],
        fix: act(say, [installCommand(settingsOf(graph, app.key.namespace), { hasOverride, isFixed })], {
          verify: 'argosy health verify',
        }),
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
export function childrenUnwatched(app: Node, graph: Graph): Finding[] {
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
      `${nodeText(app)} orders its children by sync waves but does not wait for them: Argo CD has no health ` +
        'check for Application',
      {
        blamed: settings,
        field: "data['resource.customizations.health.argoproj.io_Application']",
        signature: 'health of Application',
        commonTitle: 'app of apps does not wait for its children: Argo CD has no health check for Application',
        evidence: [fact(app, 'status.resources[Application].syncWave', [...waves].join(', '))],
        fix: act('add the documented health check for Application to argocd-cm', ['argosy health apply'], {
          verify: 'argosy health verify',
        }),
      },
    ),
  ];
}

/** The checks changed after this application was last reconciled. */
export function staleHealth(app: Node, graph: Graph): Finding[] {
  const settings = settingsOf(graph, app.key.namespace);
  const [written, reconciled] = [lastWrite(settings.object), Date.parse(textAt(app.object, 'status', 'reconciledAt'))];
  const health = textAt(app.object, 'status', 'health', 'status');
  const kinds = checkedKinds(graph, app.key.namespace);
  const isConcerned = objectsAt(app.object, 'status', 'resources').some((resource) =>
    kinds.has(`${textAt(resource, 'group')}_${textAt(resource, 'kind')}`),
  );
  if (!(written > reconciled) || health === 'Healthy' || health === '' || !isConcerned) return [];
  return [
    leaf('A52', app, 'reconcile', `health status of ${nodeText(app)} is older than the health checks in argocd-cm`, {
      field: "metadata.annotations['argocd.argoproj.io/refresh']",
      signature: 'older than the checks',
      commonTitle: 'applications whose health status is older than the health checks',
      evidence: [
        fact(app, 'status.reconciledAt', textAt(app.object, 'status', 'reconciledAt')),
        fact(settings, 'metadata.managedFields[].time', new Date(written).toISOString()),
      ],
      fix: act('hard-refresh the application', [`argosy app get ${shellWord(app.key.name)} --hard-refresh`], {
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
