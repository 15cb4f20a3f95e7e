import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { numberAt } from '../../../model/json/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf, shellWord } from '../make-finding.js';
import { isOfOldSource } from '../models/notebooks.js';
import { anyOf } from '../any-of.js';

/** Registered by kind. */
export const BUILD_RULES: RuleTable = {
  'build.openshift.io/Build': [buildRules],
};

/** OpenShift's builds fail with a reason. */
function buildRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  const [reason, message] = [textAt(node.object, 'status', 'reason'), textAt(node.object, 'status', 'message')];
  if (!isFailedBuild(node) && !/^(MissingPushSecret|InvalidOutputReference)$/.test(reason)) return [];
  const said = lastWords(textAt(node.object, 'status', 'logSnippet'));
  const evidence = [
    fact(node, 'status', `${phase} ${reason} ${message}`),
    ...(said === '' ? [] : [fact(node, 'status.logSnippet', said)]),
  ];
  const config = graph.edges(node).find(({ to }) => to.key.kind === 'BuildConfig')?.to ?? node;
  if (isSuperseded(node, config)) return [];
  const field =
    {
      FetchSourceFailed: 'spec.source',
      PullBuilderImageFailed: 'spec.strategy',
      PushImageToRegistryFailed: 'spec.output',
      MissingPushSecret: 'spec.output.pushSecret',
      InvalidOutputReference: 'spec.output.to',
      OutOfMemoryKilled: 'spec.resources',
    }[reason] ?? 'spec';
  if (isOfOldSource(node, config))
    return [
      leaf('E07', node, 'run', `${nodeText(node)} failed with an older source than ${nodeText(config)} has now`, {
        evidence,
        field: 'status.phase',
        fix: act(
          'start a build',
          [`oc start-build ${shellWord(config.key.name)} -n ${shellWord(config.key.namespace)}`],
          {
            verify: `kubectl get ${kubectlName(config)}`,
          },
        ),
      }),
    ];
  const ghost = graph.edges(node).find(({ to }) => to.key.kind === 'Secret' && to.state === 'ghost')?.to;
  if (ghost !== undefined)
    return [
      delegate('E07', node, 'run', `${nodeText(node)} failed: its Secret ${ghost.key.name} does not exist`, {
        evidence,
        target: ghost,
      }),
    ];
  const secret = reason === 'FetchSourceFailed' ? rejectedSecret(node, graph) : undefined;
  if (secret !== undefined)
    return [
      leaf(
        'B19',
        node,
        'run',
        `${nodeText(node)} failed: the repository rejects the credentials in ${nodeText(secret)}`,
        {
          evidence,
          blamed: secret,
          field: 'data',
          signature: `credential ${secret.id}`,
          fix: act(
            'update the password at the source of the Secret, refresh the Secret, then start a ' +
              'build; argosy.dev/fill-from keeps it up to date',
            [],
            { verify: `kubectl get ${kubectlName(node)}` },
          ),
        },
      ),
    ];
  return [
    leaf(
      reason === 'FetchSourceFailed' ? 'E07' : 'E08',
      node,
      'run',
      `${nodeText(node)} failed: ${reason} ${message}${said === '' ? '' : ` (${said})`}`,
      {
        evidence,
        blamed: config,
        field,
        fix: change(config, graph, 'resolve the failure reason, then start a build'),
      },
    ),
  ];
}

const MAX_WORDS = 200;

/** The end of a log says why; what stands before it is how it came there. */
function lastWords(log: string): string {
  const lines = log.split('\n').map((line) => line.trim());
  return (lines.filter((line) => line !== '').at(-1) ?? '').slice(0, MAX_WORDS);
}

/** The configuration is as good as its last build; the ones before are history. */
function isSuperseded(build: Node, config: Node): boolean {
  const last = numberAt(config.object, 'status', 'lastVersion');
  return config !== build && last !== undefined && buildNumber(build) < last;
}

/** The Secret of a source whose credentials were rejected, by the log of the build. */
function rejectedSecret(node: Node, graph: Graph): Node | undefined {
  const pod = graph.store.get({
    group: '',
    kind: 'Pod',
    namespace: node.key.namespace,
    name: `${node.key.name}-build`,
  });
  const lines = [
    textAt(node.object, 'status', 'message'),
    textAt(node.object, 'status', 'logSnippet'),
    ...(pod === undefined ? [] : graph.logs(pod).flatMap((log) => log.lines)),
  ];
  if (!lines.some((line) => ACCESS_DENIED.test(line))) return undefined;
  return graph.edges(node).find(({ field, to }) => field === 'spec.source.sourceSecret.name' && to.object !== undefined)
    ?.to;
}

const ACCESS_DENIED = anyOf(
  /[Aa]uthentication failed/,
  /could not read (?:Username|Password)/,
  /invalid (?:username or password|credentials)/,
  /HTTP Basic: Access denied/,
  /[Pp]ermission denied \(publickey/,
  /terminal prompts disabled|\b40[13]\b/,
);

export function buildNumber({ key, object }: Node): number {
  return Number(
    textAt(object, 'metadata', 'annotations', 'openshift.io/build.number') || (/-(\d+)$/.exec(key.name)?.[1] ?? '0'),
  );
}

export function isFailedBuild({ object }: Node): boolean {
  return /^(Failed|Error)$/.test(textAt(object, 'status', 'phase'));
}
