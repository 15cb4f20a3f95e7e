import type { Finding, TriageCode } from '../../findings/index.js';
import { applicationSources, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, leaf } from '../make-finding.js';
import type { MessageRule, RuleInput } from './message-rules.js';
import { otherProject, permitting, projectOf } from './projects.js';
import { retarget, revisionOf, sourceField } from './source-revisions.js';
import { controlPlane, credential, destination } from './unreachable.js';
import { anyOf } from '../any-of.js';

const repositoryOf = ({ app }: RuleInput): string => textAt(applicationSources(app.object)[0]?.source, 'repoURL');

const render = (
  rule: TriageCode,
  said: RuleInput,
  title: string,
  field: string,
  fix: string,
  more: Partial<Finding> = {},
): Finding =>
  leaf(rule, said.app, 'render', title, {
    evidence: said.evidence,
    field,
    fix: change(said.app, said.graph, fix, { risk: 'none' }),
    ...more,
  });

/** Why Argo CD cannot compare: rows of its messages. */
export const COMPARISONS: readonly MessageRule[] = [
  {
    test: /app path does not exist|(\S+): no such file or directory/,
    make: (match, said) =>
      render(
        'A01',
        said,
        `the path of ${nodeText(said.app)} does not exist at ${revisionOf(said)}: ${match[0]}`,
        /app path/.test(match[0]) ? sourceField(said, 'path') : sourceField(said, 'targetRevision'),
        'point it to a revision that has the path',
        {
          fix: retarget(said, 'point it to a revision that has the path'),
          signature: `${repositoryOf(said)} ${revisionOf(said)} ${match[0]}`,
          commonTitle: `a path does not exist at ${revisionOf(said)}`,
        },
      ),
  },
  {
    test: anyOf(
      /unable to resolve '?([^' ]+)'? to a commit SHA/,
      /couldn't find remote ref (\S+)/,
      /revision (\S+) not found/,
    ),
    make: ([, name, other, third], said) =>
      render(
        'A02',
        said,
        `the revision ${name ?? other ?? third ?? ''} of ${nodeText(said.app)} does not exist`,
        sourceField(said, 'targetRevision'),
        'set targetRevision to a branch or tag that exists',
        {
          fix: retarget(said, 'set targetRevision to a branch or tag that exists'),
          signature: `revision ${repositoryOf(said)} ${name ?? other ?? third ?? ''}`,
          commonTitle: `the revision ${name ?? other ?? third ?? ''} does not exist`,
        },
      ),
  },
  {
    test: anyOf(
      /authentication required|repository not accessible|repository not found/,
      /[Pp]ermission denied \(publickey/,
      /invalid username or password|could not read Username|authorization failed/,
      /HTTP Basic: Access denied/,
    ),
    make: (_match, said) => credential(said),
  },
  {
    test: /there are no clusters with this name:? ?(\S*)|cluster "([^"]+)" not found/,
    make: ([, name, server], said) =>
      render(
        'A08',
        said,
        `nobody knows the cluster ${name ?? server ?? ''} that ${nodeText(said.app)} is to go to`,
        `spec.destination.${name === undefined ? 'server' : 'name'}`,
        'name a cluster that is known (argosy cluster list), or add it with argosy cluster add',
      ),
  },
  {
    test: anyOf(
      /Failed to load live state/,
      /failed to get cluster (?:info|version)/,
      /error getting cluster/,
      /cluster .* (?:is not configured|has been disabled)/,
      /the server has asked for the client to provide credentials/,
    ),
    make: (_match, said) => destination(said),
  },
  {
    test: anyOf(
      /referenc(?:es|ing) project (\S+) which does not exist/,
      /is not permitted in project|not permitted in project/,
      /do not match any of the allowed destinations/,
    ),
    make: (match, said) =>
      render(
        'A08',
        said,
        match[1] === undefined
          ? `the project of ${nodeText(said.app)} forbids it: ${said.message}`
          : `the project ${match[1]} of ${nodeText(said.app)} does not exist`,
        'spec.project',
        'extend the project, or choose another',
        match[1] === undefined
          ? {
              fix: permitting(said),
              blamed: projectOf(said),
              field: projectField(said.message),
            }
          : { fix: otherProject(said) },
      ),
  },
  {
    test: /Namespace for (\S+) (\S+) is missing|[Nn]amespace .* is missing/,
    make: (_match, said) =>
      render(
        'A09',
        said,
        `${nodeText(said.app)} names no destination namespace`,
        'spec.destination.namespace',
        'set spec.destination.namespace',
      ),
  },
  {
    test: /error setting app health|health of \S+: <string>/,
    make: (_match, said) =>
      render(
        'A36',
        said,
        `a health script fails: ${said.message}`,
        "data['resource.customizations']",
        'correct the script; argosy health lint shows where',
        {
          signature: 'health script',
          commonTitle: 'a health script fails',
          blamed: said.graph.store.refer({
            group: '',
            kind: 'ConfigMap',
            namespace: said.app.key.namespace,
            name: 'argocd-cm',
          }),
        },
      ),
  },
  {
    test: anyOf(
      /repo-server|connection refused/,
      /rpc error: code = (?:Unavailable|DeadlineExceeded)/,
      /context deadline exceeded|dial tcp/,
    ),
    make: (_match, said) => controlPlane(said),
  },
  {
    test: anyOf(
      /nil pointer evaluating|execution error at|accumulating resources|failed to parse/,
      /error converting YAML|values don't meet the specifications|parse error|template:/,
      /no matches for Id|json: cannot unmarshal|yaml: |kustomize build|helm template/,
      /Manifest generation error|failed to generate manifest/,
    ),
    make: (_match, said) =>
      render(
        'A07',
        said,
        `the manifests of ${nodeText(said.app)} cannot be made: ` +
          said.message.replace(/^.*?(?:rpc error: code = \w+ desc = )/, ''),
        sourceField(said, 'path'),
        'correct the file that the message names',
      ),
  },
];

/** The list of the project that does not permit it. */
function projectField(message: string): string {
  if (/destination/.test(message)) return 'spec.destinations';
  return /source|repo/i.test(message) ? 'spec.sourceRepos' : 'spec';
}
