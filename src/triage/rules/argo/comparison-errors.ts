import type { Finding, Fix, TriageCode } from '../../findings/index.js';
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
  input: RuleInput,
  title: string,
  field: string,
  fix: string,
  more: Partial<Finding> = {},
): Finding =>
  leaf(rule, input.app, 'render', title, {
    evidence: input.evidence,
    field,
    fix: change(input.app, input.graph, fix, { risk: 'none' }),
    ...more,
  });

/** Why Argo CD cannot compare: rows of its messages. */
export const COMPARISONS: readonly MessageRule[] = [
  {
    test: /app path does not exist|(\S+): no such file or directory/,
    make: (match, input) =>
      render(
        'A01',
        input,
        `source path of ${nodeText(input.app)} does not exist at ${revisionOf(input)}: ${match[0]}`,
        /app path/.test(match[0]) ? sourceField(input, 'path') : sourceField(input, 'targetRevision'),
        'set targetRevision to a revision that has the path',
        {
          fix: /no branch has it/.test(input.message)
            ? withoutPath(input)
            : retarget(input, 'set targetRevision to a revision that has the path'),
          signature: `${repositoryOf(input)} ${revisionOf(input)} ${match[0]}`,
          commonTitle: `source path does not exist at ${revisionOf(input)}`,
        },
      ),
  },
  {
    test: anyOf(
      /unable to resolve '?([^' ]+)'? to a commit SHA/,
      /couldn't find remote ref (\S+)/,
      /revision (\S+) not found/,
    ),
    make: ([, name, other, third], input) =>
      render(
        'A02',
        input,
        `revision ${name ?? other ?? third ?? ''} of ${nodeText(input.app)} does not exist`,
        sourceField(input, 'targetRevision'),
        'set targetRevision to a branch or tag that exists',
        {
          fix: retarget(input, 'set targetRevision to a branch or tag that exists'),
          signature: `revision ${repositoryOf(input)} ${name ?? other ?? third ?? ''}`,
          commonTitle: `revision ${name ?? other ?? third ?? ''} does not exist`,
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
    make: (_match, input) => credential(input),
  },
  {
    test: /there are no clusters with this name:? ?(\S*)|cluster "([^"]+)" not found/,
    make: ([, name, server], input) =>
      render(
        'A08',
        input,
        `destination cluster ${name ?? server ?? ''} of ${nodeText(input.app)} is not registered`,
        `spec.destination.${name === undefined ? 'server' : 'name'}`,
        'use a registered cluster (argosy cluster list), or add it with argosy cluster add',
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
    make: (_match, input) => destination(input),
  },
  {
    test: anyOf(
      /referenc(?:es|ing) project (\S+) which does not exist/,
      /is not permitted in project|not permitted in project/,
      /do not match any of the allowed destinations/,
    ),
    make: (match, input) =>
      render(
        'A08',
        input,
        match[1] === undefined
          ? `the project of ${nodeText(input.app)} does not permit it: ${input.message}`
          : `project ${match[1]} of ${nodeText(input.app)} does not exist`,
        'spec.project',
        'permit it in the project, or use another project',
        match[1] === undefined
          ? {
              fix: permitting(input),
              blamed: projectOf(input),
              field: projectField(input.message),
            }
          : { fix: otherProject(input) },
      ),
  },
  {
    test: /Namespace for (\S+) (\S+) is missing|[Nn]amespace .* is missing/,
    make: (_match, input) =>
      render(
        'A09',
        input,
        `${nodeText(input.app)} has no destination namespace`,
        'spec.destination.namespace',
        'set spec.destination.namespace',
      ),
  },
  {
    test: /error setting app health|health of \S+: <string>/,
    make: (_match, input) =>
      render(
        'A36',
        input,
        `health check script fails: ${input.message}`,
        "data['resource.customizations']",
        'correct the script; argosy health lint shows the line',
        {
          signature: 'health script',
          commonTitle: 'health check script fails',
          blamed: input.graph.store.refer({
            group: '',
            kind: 'ConfigMap',
            namespace: input.app.key.namespace,
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
    make: (_match, input) => controlPlane(input),
  },
  {
    test: anyOf(
      /nil pointer evaluating|execution error at|accumulating resources|failed to parse/,
      /error converting YAML|values don't meet the specifications|parse error|template:/,
      /no matches for Id|json: cannot unmarshal|yaml: |kustomize build|helm template/,
      /Manifest generation error|failed to generate manifest/,
    ),
    make: (_match, input) =>
      render(
        'A07',
        input,
        `manifest generation for ${nodeText(input.app)} fails: ` +
          input.message.replace(/^.*?(?:rpc error: code = \w+ desc = )/, ''),
        sourceField(input, 'path'),
        'correct the file in the message',
      ),
  },
];

/** Where no revision has it, a commit removed it: nobody writes it again to end an error. */
function withoutPath({ app, graph }: RuleInput): Fix {
  return change(app, graph, 'no branch has the path: correct it, or delete the application if it is done with', {
    risk: 'none',
  });
}

/** The list of the project that does not permit it. */
function projectField(message: string): string {
  if (/destination/.test(message)) return 'spec.destinations';
  return /source|repo/i.test(message) ? 'spec.sourceRepos' : 'spec';
}
