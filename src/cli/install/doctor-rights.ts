import { CONTROLLER, rightsOf, SERVER, type ComponentName, type Rule } from '../../install/index.js';
import { flagAt, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SUBJECT_ACCESS_REVIEWS } from '../../model/resources/index.js';
import type { Examination, Finding } from './doctor-finding.js';

/** Questions at the same time. */
const LANES = 8;

/** One thing that an account may do by its role. */
interface Right {
  readonly component: ComponentName;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly text: string;
  readonly question: JsonObject;
}

/** Asks the API server for each right that a role of the installation gives whether the account really has it. */
export async function checkRights(examination: Examination): Promise<Finding[]> {
  const rights = [CONTROLLER, SERVER].flatMap((component) => rightsOfAccount(examination, component as ComponentName));
  const missing = new Set<Right>();
  const waiting = [...rights];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let right = waiting.shift(); right !== undefined; right = waiting.shift())
        if (!(await isAllowed(examination, right))) missing.add(right);
    }),
  );
  return [CONTROLLER, SERVER].flatMap((component) => {
    const lacking = rights.filter((right) => right.component === component && missing.has(right));
    const all = rights.filter((right) => right.component === component).length;
    if (lacking.length === 0)
      return [{ check: `rights of ${component}`, state: 'ok', detail: `${all} of ${all}` } as const];
    return [...new Set(lacking.map(({ namespace }) => namespace))].map((namespace): Finding => {
      const these = lacking.filter((right) => right.namespace === namespace);
      const place = namespace === '' ? 'in the cluster' : `in namespace ${namespace}`;
      return {
        check: `rights of ${component}`,
        state: 'failed',
        detail: `missing ${place}: ${these.map(({ text }) => text).join(', ')}`,
        repair: rolesOf(examination, component as ComponentName, namespace),
      };
    });
  });
}

function rightsOfAccount({ installation }: Examination, component: ComponentName): Right[] {
  const { cluster, own, destinations } = rightsOf(installation, component);
  const of = (rules: readonly Rule[], namespace: string): Right[] =>
    rules.flatMap((rule) => rightsOfRule(rule, namespace).map((right) => ({ component, namespace, ...right })));
  return [
    ...of(cluster, ''),
    ...of(own, installation.namespace),
    ...installation.values.namespaces.flatMap((namespace) => of(destinations, namespace)),
  ];
}

function rightsOfRule(rule: Rule, namespace: string): Pick<Right, 'text' | 'question'>[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const named = resourceNames.length === 0 ? [''] : resourceNames;
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({
      text: `${verb} ${path}`,
      question: { nonResourceAttributes: { path, verb } },
    })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((full) =>
        named.map((name) => {
          const [resource = '', subresource = ''] = full.split('/');
          const place = namespace === '' ? {} : { namespace };
          const attributes = { ...place, verb, group, resource, subresource, name };
          return {
            text: `${verb} ${full}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` ${name}`}`,
            question: { resourceAttributes: attributes },
          };
        }),
      ),
    ),
  ]);
}

async function isAllowed({ cluster, installation }: Examination, { component, question }: Right): Promise<boolean> {
  const account = `system:serviceaccount:${installation.namespace}:${component}`;
  const review = await cluster.create(
    SUBJECT_ACCESS_REVIEWS,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: account,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${installation.namespace}`, 'system:authenticated'],
        ...question,
      },
    },
    // A question is no write, and the connection of doctor takes none.
    { dryRun: true },
  );
  return flagAt(review, 'status', 'allowed') === true;
}

/** The roles of an account in a place, with what binds it to them. */
function rolesOf({ objects }: Examination, component: ComponentName, namespace: string): KubeObject[] {
  const isBinding = ({ kind }: KubeObject): boolean => kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
  const bindings = objects.filter(
    (object) =>
      isBinding(object) &&
      (object.metadata.namespace ?? '') === namespace &&
      object.metadata.labels?.['app.kubernetes.io/name'] === component,
  );
  const roles = objects.filter(
    ({ kind, metadata }) =>
      (kind === 'Role' || kind === 'ClusterRole') &&
      bindings.some(
        (binding) => binding.metadata.name === metadata.name && binding.metadata.namespace === metadata.namespace,
      ),
  );
  return [...roles, ...bindings];
}
