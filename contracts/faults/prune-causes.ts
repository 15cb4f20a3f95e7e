import { isArray, isObject, own, parseJson, put, writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { apiVersionOf } from '../../src/cluster/index.js';
import { objectIn, type ApplicationPlan, type ApplicationStatus } from './application.js';
import type { Lab } from './lab.js';
import type { PruneContext } from './prune-trial.js';
import type { Files } from './repository.js';
import { API_SERVICES, APP_PROJECTS, CLUSTER_ROLES, CONFIG_MAPS, CRDS } from '../../src/model/resources/index.js';

/** One reason why nothing may be pruned. */
export interface PruneCause {
  readonly name: string;
  readonly files?: (application: string) => Files;
  readonly plan?: (plan: ApplicationPlan) => ApplicationPlan;
  /** False where a person who asks for a sync with pruning would mean it. */
  readonly mayBeSynced?: boolean;
  /** Objects that the cause itself takes away. */
  readonly takesAway?: (object: string) => boolean;
  /** What the status must say; undefined where it does. */
  readonly complains?: (shown: ApplicationStatus) => string | undefined;
  /** A commit that drops `map-0` for good, after all is well again. */
  readonly control?: Files;
  /** Breaks; what it gives heals. */
  break(stage: PruneContext): Promise<() => Promise<void>>;
}

const CONTROL: Files = { 'app/map-0.yaml': undefined };
const map = (index: number): string =>
  writeJson({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `map-${index}` },
    data: { index: String(index) },
  }) + '\n';
const ALL_MAPS = Array.from({ length: 5 }, (_, index) => `app/map-${index}.yaml`);
const EVERYTHING = [...ALL_MAPS, 'app/secret.yaml', 'app/service.yaml', 'app/widget.yaml'];
const gone = (paths: readonly string[]): Files => Object.fromEntries(paths.map((path) => [path, undefined]));

const notSynced = ({ sync }: ApplicationStatus): string | undefined =>
  sync === 'Synced' ? 'it still says Synced' : undefined;
const says =
  (pattern: RegExp) =>
  ({ conditions, message }: ApplicationStatus): string | undefined =>
    conditions.some((each) => pattern.test(each)) || pattern.test(message)
      ? undefined
      : `nothing says ${pattern.source}`;

/** Changes git, and back: by the same commit being the head again. */
function commit(files: Files): PruneCause['break'] {
  return ({ repository }) => {
    const good = repository.head();
    repository.commit(files);
    return Promise.resolve(() => Promise.resolve(repository.setBranch('main', good)));
  };
}

/** Changes an object with a merge patch, and back with another. */
function patchProject(spec: JsonObject, back: JsonObject): PruneCause['break'] {
  return async ({ lab, name }) => {
    const id = { namespace: 'argocd', name };
    await lab.cluster.patch(APP_PROJECTS, id, { type: 'merge', body: { spec } });
    return async () => {
      await lab.cluster.patch(APP_PROJECTS, id, { type: 'merge', body: { spec: back } });
    };
  };
}

export const PRUNE_CAUSES: readonly PruneCause[] = [
  {
    name: 'a manifest is no YAML',
    break: commit({ 'app/map-1.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [\n', 'app/map-2.yaml': undefined }),
    complains: notSynced,
    control: CONTROL,
  },
  {
    name: 'the repository is gone',
    break: ({ repository }) => {
      const back = repository.takeAway();
      return Promise.resolve(() => Promise.resolve(back()));
    },
    control: CONTROL,
  },
  {
    name: 'the branch is deleted',
    break: ({ repository }) => {
      const good = repository.head();
      repository.setBranch('main', undefined);
      return Promise.resolve(() => Promise.resolve(repository.setBranch('main', good)));
    },
    control: CONTROL,
  },
  {
    name: 'the path is missing',
    break: commit({ ...gone(EVERYTHING), 'elsewhere/map-0.yaml': map(0) }),
    complains: notSynced,
    control: CONTROL,
  },
  {
    name: 'the path has nothing that is a manifest',
    mayBeSynced: false,
    break: commit({ ...gone(EVERYTHING), 'app/README.md': 'moved\n' }),
    complains: notSynced,
    control: CONTROL,
  },
  {
    name: 'git is emptied while pruning is off and empty is allowed',
    mayBeSynced: false,
    break: commit({ ...gone(EVERYTHING), 'app/README.md': 'moved\n' }),
    plan: (plan) => ({ ...plan, automated: { prune: false, selfHeal: true, allowEmpty: true } }),
    complains: notSynced,
  },
  {
    name: 'one of two sources cannot be read',
    break: commit({ 'second/extra.yaml': undefined }),
    files: () => ({ 'second/extra.yaml': map(9) }),
    plan: (plan) => ({
      ...plan,
      sources: ['app', 'second'].map((path) => ({ repoURL: plan.repoURL, path, targetRevision: 'main' })),
    }),
    complains: notSynced,
    control: CONTROL,
  },
  { name: 'discovery loses a group', break: loseGroup, control: CONTROL },
  { name: 'an aggregated API answers 503', break: breakAggregatedApi, mayBeSynced: false, control: CONTROL },
  {
    name: 'ConfigMaps may not be listed',
    break: (stage) => forbid(stage, 'configmaps'),
    complains: notSynced,
    control: CONTROL,
  },
  { name: 'Namespaces may not be listed', break: (stage) => forbid(stage, 'namespaces'), control: CONTROL },
  { name: 'a CRD is deleted', break: deleteCrd, takesAway: (object) => object.startsWith('Widget'), control: CONTROL },
  {
    name: 'a values file of a chart is missing',
    files: (name) => chartFiles(name),
    plan: (plan) => ({ ...plan, path: 'chart', helm: { valueFiles: ['values-prod.yaml'] } }),
    break: commit({ 'chart/values-prod.yaml': undefined }),
    complains: notSynced,
    control: { 'chart/values-prod.yaml': 'maps: [1, 2, 3]\n' },
  },
  {
    name: 'the base of an overlay is missing',
    files: () => ({
      'overlay/kustomization.yaml': 'resources: [../base]\n',
      'base/kustomization.yaml': 'resources: [map-0.yaml, map-1.yaml]\n',
      'base/map-0.yaml': map(0),
      'base/map-1.yaml': map(1),
    }),
    plan: (plan) => ({ ...plan, path: 'overlay' }),
    break: commit({ 'base/kustomization.yaml': undefined, 'base/map-0.yaml': undefined, 'base/map-1.yaml': undefined }),
    complains: notSynced,
    control: { 'base/kustomization.yaml': 'resources: [map-1.yaml]\n' },
  },
  { name: 'lists are cut in half', break: truncateLists, complains: notSynced, control: CONTROL },
  { name: 'a tracking-id was copied to another object', break: copyTracking, control: CONTROL },
  {
    name: 'the project forbids a kind',
    break: patchProject(
      { namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] },
      { namespaceResourceBlacklist: null },
    ),
    control: CONTROL,
  },
  {
    name: 'the project forbids the destination',
    break: patchProject(
      { destinations: [{ server: '*', namespace: 'elsewhere' }] },
      { destinations: [{ server: '*', namespace: '*' }] },
    ),
    complains: says(/destination|permitted/),
    control: CONTROL,
  },
  {
    name: 'the project forbids the repository',
    break: patchProject({ sourceRepos: ['https://elsewhere.example.com/*'] }, { sourceRepos: ['*'] }),
    complains: says(/repo|permitted/),
    control: CONTROL,
  },
  { name: 'the project is deleted', break: deleteProject, complains: says(/project/), control: CONTROL },
  {
    name: 'the API server restarts',
    break: async ({ lab }) => {
      await lab.plane.restart();
      return () => Promise.resolve();
    },
    control: CONTROL,
  },
];

function chartFiles(name: string): Files {
  const template =
    '{{- range .Values.maps }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-{{ . }}\n' +
    'data:\n  index: "{{ . }}"\n{{- end }}\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n' +
    'spec:\n  ports:\n  - port: 80\n';
  return {
    'chart/Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    'chart/values.yaml': 'maps: []\n',
    'chart/values-prod.yaml': 'maps: [0, 1, 2, 3]\n',
    'chart/templates/maps.yaml': template,
  };
}

/**
 * As kube-apiserver shows a group whose server does not answer: it is named, stale and without kinds, and its requests
 * get 503.
 */
async function loseGroup({ seat, widgets, restart }: PruneContext): Promise<() => Promise<void>> {
  const unavailable = {
    kind: 'answer',
    status: 503,
    body: writeJson({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'service unavailable',
      reason: 'ServiceUnavailable',
      code: 503,
    }),
  } as const;
  seat.proxy.decide = (call) => {
    if (call.group === widgets.group) return unavailable;
    return call.verb === 'discovery' && /^\/apis(\?|$)/.test(call.path)
      ? { kind: 'replace', change: (body) => Buffer.from(withoutGroup(body.toString('utf8'), widgets.group)) }
      : { kind: 'none' };
  };
  await restart();
  return () => {
    seat.proxy.decide = () => ({ kind: 'none' });
    return restart();
  };
}

function withoutGroup(text: string, group: string): string {
  const list = parseJson(text);
  const items = isObject(list) ? own(list, 'items') : undefined;
  for (const item of isArray(items) ? items : []) {
    if (!isObject(item) || !isObject(item.metadata) || own(item.metadata, 'name') !== group || !isArray(item.versions))
      continue;
    for (const version of item.versions) {
      if (!isObject(version)) continue;
      put(version, 'resources', []);
      put(version, 'freshness', 'Stale');
    }
  }
  return writeJson(list);
}

async function breakAggregatedApi({ lab, name, restart }: PruneContext): Promise<() => Promise<void>> {
  const group = `gone-${name}.example.com`;
  const service: KubeObject = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: 'nobody', namespace: 'default', port: 443 },
    },
  };
  const made = await lab.cluster.create(API_SERVICES, service);
  await restart();
  return async () => {
    await lab.cluster.remove(API_SERVICES, { name: made.metadata.name ?? '' }, { uid: made.metadata.uid ?? '' });
  };
}

/** Everything but the list and watch of one kind of the core group. */
async function forbid({ lab, seat, restart, random }: PruneContext, plural: string): Promise<() => Promise<void>> {
  const { kinds } = await lab.cluster.discover();
  const core = [...new Set(kinds.filter(({ group }) => group === '').map((kind) => kind.plural))];
  const groups = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '');
  const role: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `all-but-lists-of-${plural}` },
    rules: [
      { apiGroups: groups, resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
      { apiGroups: [''], resources: core.filter((each) => each !== plural), verbs: ['*'] },
      { apiGroups: [''], resources: [plural], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
    ],
  };
  const old = await lab.cluster.get(CLUSTER_ROLES, { name: role.metadata.name ?? '' });
  if (old !== undefined)
    await lab.cluster.remove(CLUSTER_ROLES, { name: role.metadata.name ?? '' }, { uid: old.metadata.uid ?? '' });
  await lab.cluster.create(CLUSTER_ROLES, role);
  const account = seat.user.split(':').at(-1) ?? '';
  await lab.bind(account, role.metadata.name ?? '');
  // The server learns of it a moment later; a watch that is opened before goes on, and by right.
  await lab.until(`${account} may not list ${plural}`, async () => !(await mayList(lab, seat.user, plural)));
  if (random.chance(0.5)) await restart();
  else seat.proxy.cutWatches(plural);
  return async () => {
    await lab.bind(account, 'cluster-admin');
    await restart();
  };
}

async function mayList(lab: Lab, user: string, resource: string): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes: { verb: 'watch', resource } },
  };
  return (
    objectIn(await lab.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review), 'status')[
      'allowed'
    ] === true
  );
}

async function deleteCrd({ lab, crd, widgets }: PruneContext): Promise<() => Promise<void>> {
  const name = crd.metadata.name ?? '';
  const live = await lab.cluster.get(CRDS, { name });
  await lab.cluster.remove(CRDS, { name }, { uid: live?.metadata.uid ?? '' });
  await lab.until('the CRD is gone', async () => (await lab.cluster.get(CRDS, { name })) === undefined);
  return async () => {
    await lab.cluster.create(CRDS, crd);
    await lab.until('the CRD is served', () => lab.exists(widgets));
  };
}

async function truncateLists({ seat, restart }: PruneContext): Promise<() => Promise<void>> {
  seat.proxy.decide = ({ verb, resource }) =>
    verb === 'list' && (resource === 'configmaps' || resource === 'services') ? { kind: 'truncate' } : { kind: 'none' };
  await restart();
  return () => {
    seat.proxy.decide = () => ({ kind: 'none' });
    return Promise.resolve();
  };
}

/** A copy of a tracked object with another name, as `kubectl get | sed | kubectl apply` makes it. It must stay too. */
async function copyTracking({ lab, namespace }: PruneContext): Promise<() => Promise<void>> {
  const original = await lab.cluster.get(CONFIG_MAPS, { namespace, name: 'map-1' });
  const copy: KubeObject = {
    apiVersion: apiVersionOf(CONFIG_MAPS),
    kind: 'ConfigMap',
    data: {},
    metadata: {
      name: 'copy',
      namespace,
      annotations: { ...original?.metadata.annotations },
      labels: { ...original?.metadata.labels },
    },
  };
  const made = await lab.cluster.create(CONFIG_MAPS, copy);
  return async () => {
    const live = await lab.cluster.get(CONFIG_MAPS, { namespace, name: 'copy' });
    if (live?.metadata.uid === made.metadata.uid)
      await lab.cluster.remove(CONFIG_MAPS, { namespace, name: 'copy' }, { uid: made.metadata.uid ?? '' });
  };
}

async function deleteProject({ lab, name }: PruneContext): Promise<() => Promise<void>> {
  const id = { namespace: 'argocd', name };
  const project = await lab.cluster.get(APP_PROJECTS, id);
  if (project === undefined) throw new Error('the project is not there');
  await lab.cluster.remove(APP_PROJECTS, id, { uid: project.metadata.uid ?? '' });
  return async () => {
    const { resourceVersion: _, uid: __, ...metadata } = project.metadata;
    await lab.cluster.create(APP_PROJECTS, { ...project, metadata });
  };
}
