import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { applicationSources, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, delegate, leaf } from '../make-finding.js';
import type { RuleInput } from './message-rules.js';
import { sourceField } from './source-revisions.js';

/** The repository does not let us in: its credential, or whoever writes it. */
export function credential(said: RuleInput): Finding {
  const edge = said.graph
    .edges(said.app)
    .find(({ to, field }) => to.key.kind === 'Secret' && field.endsWith('.repoURL'));
  const repoURL = textAt(applicationSources(said.app.object)[0]?.source, 'repoURL');
  const told = {
    evidence: said.evidence,
    impact: 'infrastructure' as const,
    signature: `credential ${repoURL}`,
    commonTitle: `the repository ${repoURL} does not let Argo CD in`,
  };
  if (edge === undefined)
    return leaf('A04', said.app, 'render', `no credential opens the repository ${repoURL} of ${nodeText(said.app)}`, {
      ...told,
      field: sourceField(said, 'repoURL'),
      fix: act('add a repository Secret, or correct the address', ['argocd repo add'], { verify: 'argosy app list' }),
    });
  const isMade = said.graph.edges(edge.to).some(({ to }) => to.object !== undefined);
  if (
    isMade &&
    said.graph.edges(edge.to).some(
      ({ to }) =>
        textAt(
          objectsAt(to.object, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
          'status',
        ) === 'False',
    )
  )
    return delegate('A04', said.app, 'render', `the credential of ${repoURL} is refused`, {
      evidence: said.evidence,
      impact: 'capacity',
      target: edge.to,
    });
  return leaf('A04', said.app, 'render', `the credential of ${repoURL} in ${nodeText(edge.to)} is refused`, {
    ...told,
    blamed: edge.to,
    field: 'data',
    fix: act('renew the credential in the repository Secret', [], { verify: 'argosy app list' }),
  });
}

export function destination(said: RuleInput): Finding {
  const edge = said.graph.edges(said.app).find(({ field }) => field === 'spec.destination');
  const server =
    textAt(said.app.object, 'spec', 'destination', 'server') || textAt(said.app.object, 'spec', 'destination', 'name');
  return leaf('A10', said.app, 'compare', `the cluster ${server} does not answer Argo CD`, {
    evidence: said.evidence,
    impact: 'infrastructure',
    ...(edge === undefined ? {} : { blamed: edge.to }),
    field: edge === undefined ? 'spec.destination' : 'data.config',
    signature: `cluster ${server}`,
    commonTitle: `the cluster ${server} does not answer Argo CD`,
    fix: act('renew the credential or address of the cluster', ['argocd cluster list'], { verify: 'argosy app list' }),
  });
}

export function controlPlane(said: RuleInput): Finding {
  const part = /(repo-server|redis|application-controller)/.exec(said.message)?.[1] ?? 'repo-server';
  const workload = ['Deployment', 'StatefulSet']
    .flatMap((kind) => said.graph.store.inNamespace('apps', kind, said.app.key.namespace))
    .find(({ key }) => key.name.endsWith(part));
  return delegate('A46', said.app, 'compare', `Argo CD's ${part} does not answer`, {
    evidence: said.evidence,
    target: workload ?? said.graph.store.virtual('Component', `argocd ${part}`),
  });
}
