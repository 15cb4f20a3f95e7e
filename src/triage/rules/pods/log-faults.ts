import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { lastWrite } from '../argo/settings.js';
import { act, change, fact, kubectlName, leaf } from '../make-finding.js';
import { REFUSED, refusedSomewhere } from './host-faults.js';
import { LOG_RULES } from './log-rules.js';
import { isFresh, loudLines, rootOfChain } from './log-text.js';
import { type ContainerFact, logLines } from './pod-facts.js';
import { isProgramError } from './program-errors.js';
import { isServerState, serverState } from './server-states.js';
import type { Crash } from './crash.js';
import { anyOf } from '../any-of.js';

const CREDENTIAL_REJECTED = anyOf(
  /access denied for user|password authentication failed|authentication failed/i,
  /invalid (?:credentials|password|username)/i,
  /login failed|WRONGPASS|NOAUTH/i,
  /permission denied for (?:user|role)/i,
  /ACCESS_REFUSED|SaslAuthenticationException|SQLState: 28P01|ORA-01017|no pg_hba\.conf entry/i,
);

/**
 * The same in the words of servers and their drivers alone: that a person typed a wrong password is the business of a
 * program that is well.
 */
const REJECTED_BY_SERVER = anyOf(
  /access denied for user '[^']*'@|password authentication failed for user|no pg_hba\.conf entry|SQLState: 28P01/i,
  /WRONGPASS|NOAUTH Authentication required|ACCESS_REFUSED|SaslAuthenticationException|ORA-01017/,
  /(?:UserNotFound|could not find user "?\S+"? for db)/i,
);

const OF_MONGO = /mongo|SCRAM-SHA|AuthenticationFailed|\(Unauthorized\)/i;

function isRejectedByServer(line: string): boolean {
  return REJECTED_BY_SERVER.test(line) || (OF_MONGO.test(line) && /authentication failed/i.test(line));
}

const isRejected = (line: string): boolean => CREDENTIAL_REJECTED.test(line) || isRejectedByServer(line);

const SETTING_MISSING = anyOf(
  new RegExp(
    '(?:environment variable|env var|setting|config(?:uration)?(?: value| key)?|flag|option)\\s' +
      '.*(?:required|missing|not set|undefined|unset|invalid)',
    'i',
  ),
  /(?:required|missing) (?:environment|env|config|setting|flag)/i,
  /KeyError|is not set$/i,
);

const ERROR_WORDS = anyOf(
  /error|fatal|panic|exception|fail|denied|refused|no such host|cannot|unable|missing/i,
  /required|not found|AADSTS|forbidden|timeout|sealed|invalid/i,
);

/** So many different lines of a log are tried. */
const MAX_TELLING = 12;

/**
 * The lines of a log that may say what is wrong, the most specific first: what rules know, the latest of it first, then
 * the first exception of a chain, then the last error.
 */
export function errorLinesOf(lines: readonly string[]): [string, ...string[]] {
  const loud = loudLines(lines);
  const known = [...loud].reverse().filter(isTelling);
  const last = lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
  const rest = [rootOfChain(loud), loud.findLast((line) => ERROR_WORDS.test(line)), loud.at(-1), last];
  const [first = '', ...more] = [
    ...new Set([...new Set(known)].slice(0, MAX_TELLING).concat(rest.filter((line) => line !== undefined))),
  ];
  return [first, ...more];
}

function isTelling(line: string): boolean {
  return (
    LOG_RULES.some(({ test }) => test.test(line)) ||
    isRejected(line) ||
    isServerState(line) ||
    REFUSED.test(line) ||
    isProgramError(line)
  );
}

/** The first of several lines that a rule can do something with. */
export function byLines(lines: readonly string[], read: (line: string) => Finding | undefined): Finding | undefined {
  for (const line of lines) {
    const finding = read(line);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

export function byLog(pod: Node, graph: Graph, container: ContainerFact, crashed: Crash): Finding | undefined {
  for (const { test, make } of LOG_RULES) {
    const match = test.exec(crashed.line);
    const finding = match === null ? undefined : make(match, pod, graph, container, crashed);
    if (finding !== undefined) return finding;
  }
  const { details, phase, line } = crashed;
  const server = serverState(pod, graph, container, crashed) ?? refusedSomewhere(pod, graph, container, crashed);
  if (server !== undefined) return server;
  if (isRejected(line)) {
    const stale = staleVariable(pod, graph, container);
    if (stale !== undefined)
      return leaf(
        'B20',
        pod,
        phase,
        `${nodeText(pod)} still uses old credentials: ${nodeText(stale)} changed after the pod started`,
        {
          ...details,
          blamed: graph.top(pod),
          field: `spec.template.${container.path}.env`,
          evidence: [
            ...details.evidence,
            fact(stale, 'metadata.managedFields[].time', new Date(lastWrite(stale.object)).toISOString()),
            fact(pod, 'status.startTime', textAt(pod.object, 'status', 'startTime')),
          ],
          fix: act(
            'restart it: environment variables are read at start only',
            [`kubectl rollout restart ${kubectlName(graph.top(pod))}`],
            { risk: 'restart', verify: `kubectl get ${kubectlName(graph.top(pod))}` },
          ),
        },
      );
    return leaf('B19', pod, phase, `credentials of ${nodeText(pod)} are rejected`, {
      ...details,
      field: `spec.template.${container.path}.env`,
      fix: change(pod, graph, 'set the credentials that the server accepts'),
    });
  }
  if (SETTING_MISSING.test(line)) {
    return leaf('F02', pod, phase, `${nodeText(pod)} lacks a required setting: ${line}`, {
      ...details,
      field: `spec.template.${container.path}.env`,
      fix: change(pod, graph, 'set the value that the log names'),
    });
  }
  return undefined;
}

/** A Secret that the container reads into variables and that was written after it started. */
function staleVariable(pod: Node, graph: Graph, container: ContainerFact): Node | undefined {
  const started = Date.parse(textAt(pod.object, 'status', 'startTime'));
  const names = [
    ...objectsAt(container.spec, 'env').map((each) => textAt(each, 'valueFrom', 'secretKeyRef', 'name')),
    ...objectsAt(container.spec, 'envFrom').map((each) => textAt(each, 'secretRef', 'name')),
  ].filter((name) => name !== '');
  return names
    .map((name) => graph.store.get({ group: '', kind: 'Secret', namespace: pod.key.namespace, name }))
    .find((secret) => secret?.object !== undefined && lastWrite(secret.object) > started);
}

/** The log of a running container that neither completes nor becomes ready. */
export function runningLogFault(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!container.isRunning || container.isReady) return undefined;
  return byLines(errorLinesOf(logLines(pod, graph, container.name)), (line) =>
    line === ''
      ? undefined
      : byLog(pod, graph, container, {
          line,
          details: { evidence: [fact(pod, `log of ${container.name}`, line)] },
          phase: container.isInit ? 'init' : 'run',
        }),
  );
}

/** A pod that serves and whose log says again and again that a server which it uses takes no connection or no write. */
export function refusedByServer(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!container.isRunning) return undefined;
  const fresh = loudLines(logLines(pod, graph, container.name).filter((line) => isFresh(line, graph.time)));
  const crashOf = (line: string): Crash => ({
    line,
    details: { evidence: [fact(pod, `log of ${container.name}`, line)] },
    phase: 'run',
  });
  const told = fresh.filter(isServerState);
  const state = told.at(-1);
  if (state !== undefined && told.length >= MANY_TIMES) return serverState(pod, graph, container, crashOf(state));
  const rejected = fresh.filter(isRejectedByServer);
  const rejection = rejected.at(-1);
  if (rejection === undefined || rejected.length < MANY_TIMES) return undefined;
  const finding = byLog(pod, graph, container, crashOf(rejection));
  // It runs: an older connection, or somebody else's, may still be good.
  return finding === undefined ? undefined : { ...finding, suspect: true };
}

/** Once may have been a moment of a failover. */
const MANY_TIMES = 2;

/** A Job that is denied again and again is running and ready: only the end of its log shows it. */
export function repeatedlyForbidden(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  const line = logLines(pod, graph, container.name).at(-1) ?? '';
  if (!container.isRunning || graph.owner(pod)?.key.kind !== 'Job' || !/[Ff]orbidden.*cannot/.test(line))
    return undefined;
  return byLog(pod, graph, container, {
    line,
    details: { evidence: [fact(pod, `log of ${container.name}`, line)] },
    phase: 'run',
  });
}
