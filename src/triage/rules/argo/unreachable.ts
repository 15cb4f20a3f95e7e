import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { applicationSources, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, delegate, leaf } from '../make-finding.js';
import type { RuleInput } from './message-rules.js';
import { sourceField } from './source-revisions.js';

/** The repository denies access: its credentials, or the object that writes them. */
export function credential(input: RuleInput): Finding {
  const edge = input.graph
    .edges(input.app)
    .find(({ to, field }) => to.key.kind === 'Secret' && field.endsWith('.repoURL'));
  const repoURL = textAt(applicationSources(input.app.object)[0]?.source, 'repoURL');
  const details = {
    evidence: input.evidence,
    impact: 'infrastructure' as const,
    signature: `credential ${repoURL}`,
    commonTitle: `repository ${repoURL} denies access to Argo CD`,
  };
  if (edge === undefined)
    return leaf(
      'A04',
      input.app,
      'render',
      `no working credentials for repository ${repoURL} of ${nodeText(input.app)}`,
      {
        ...details,
        field: sourceField(input, 'repoURL'),
        fix: act('add a repository Secret, or fix the URL', ['argocd repo add'], { verify: 'argosy app list' }),
      },
    );
  const isMade = input.graph.edges(edge.to).some(({ to }) => to.object !== undefined);
  if (
    isMade &&
    input.graph.edges(edge.to).some(
      ({ to }) =>
        textAt(
          objectsAt(to.object, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
          'status',
        ) === 'False',
    )
  )
    return delegate('A04', input.app, 'render', `credentials for ${repoURL} are rejected`, {
      evidence: input.evidence,
      impact: 'capacity',
      target: edge.to,
    });
  return leaf('A04', input.app, 'render', `credentials for ${repoURL} in ${nodeText(edge.to)} are rejected`, {
    ...details,
    blamed: edge.to,
    field: 'data',
    fix: act('renew the credentials in the repository Secret', [], { verify: 'argosy app list' }),
  });
}

export function destination(input: RuleInput): Finding {
  const edge = input.graph.edges(input.app).find(({ field }) => field === 'spec.destination');
  const server =
    textAt(input.app.object, 'spec', 'destination', 'server') ||
    textAt(input.app.object, 'spec', 'destination', 'name');
  return leaf('A10', input.app, 'compare', `cluster ${server} does not respond to Argo CD`, {
    evidence: input.evidence,
    impact: 'infrastructure',
    ...(edge === undefined ? {} : { blamed: edge.to }),
    field: edge === undefined ? 'spec.destination' : 'data.config',
    signature: `cluster ${server}`,
    commonTitle: `cluster ${server} does not respond to Argo CD`,
    fix: act('renew the credentials or fix the address of the cluster', ['argocd cluster list'], {
      verify: 'argosy app list',
    }),
  });
}

export function controlPlane(input: RuleInput): Finding {
  const part = /(repo-server|redis|application-controller)/.exec(input.message)?.[1] ?? 'repo-server';
  const workload = ['Deployment', 'StatefulSet']
    .flatMap((kind) => input.graph.store.inNamespace('apps', kind, input.app.key.namespace))
    .find(({ key }) => key.name.endsWith(part));
  return delegate('A46', input.app, 'compare', `Argo CD ${part} does not respond`, {
    evidence: input.evidence,
    target: workload ?? input.graph.store.virtual('Component', `argocd ${part}`),
  });
}
