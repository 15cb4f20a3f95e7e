import { type Graph, nodeText, type Node, hostNames, selectedPods, conditionIs } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { Edit, Finding } from '../../findings/index.js';
import { act, change, delegate, fact, kubectlName, leaf, setting, templateOf, shellWord } from '../make-finding.js';
import { commandField } from './starting.js';
import { logLines, type ContainerFact } from './pod-facts.js';
import { lastWrite } from '../argo/settings.js';
import { deniedByPolicy, dnsObstacle, UNRESOLVED } from '../policies.js';
import { otherArchitecture, programError, type Crash } from './program-errors.js';
import { missingRightOf } from '../missing-rights.js';
import { killedByProbe } from './probes.js';
import { brokenAgent } from '../network-agents.js';

/** A container that ended and should not have, or ends again and again. */
export function crash(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  const isBack = container.waiting === 'CrashLoopBackOff';
  const hasFailed = container.exitCode !== undefined && container.exitCode !== 0 && !container.isRunning;
  const isFlapping =
    container.isRunning &&
    !container.isReady &&
    container.restarts > 0 &&
    container.exitCode !== undefined &&
    container.exitCode !== 0;
  if (!isBack && !hasFailed && !isFlapping) return undefined;
  const phase = container.isInit ? 'init' : 'run';
  const lines = logLines(pod, graph, container.name);
  const line = errorLineOf([...container.endMessage.split('\n'), ...lines]);
  const evidence = [
    fact(
      pod,
      'status.containerStatuses[].state',
      `${container.waiting === '' ? container.ended : container.waiting}, exit code ` +
        `${container.exitCode ?? '?'}, ${container.restarts} restarts`,
    ),
    ...(line === '' ? [] : [fact(pod, `log of ${container.name}`, line)]),
  ];
  const told = { evidence, ...(container.endedAt === undefined ? {} : { onset: container.endedAt }) };
  if (
    container.ended === 'OOMKilled' ||
    (container.exitCode === 137 &&
      /OOM|out of memory|MemoryError|heap out of memory/i.test(`${container.endMessage} ${line}`))
  ) {
    const limit = textAt(container.spec, 'resources', 'limits', 'memory');
    return leaf(
      'F01',
      pod,
      phase,
      `container ${container.name} of ${nodeText(pod)} needs more memory than its ` +
        `limit${limit === '' ? '' : ` of ${limit}`}`,
      {
        ...told,
        evidence: [
          ...evidence,
          fact(
            pod,
            `${container.path}.resources.limits.memory`,
            valueAt(container.spec, 'resources', 'limits', 'memory') ?? null,
          ),
        ],
        field: `spec.template.${container.path}.resources.limits.memory`,
        fix: change(pod, graph, 'raise the memory limit, or use less', {
          edits: doubled(graph.top(pod), container.path, limit),
          isGuess: true,
        }),
      },
    );
  }
  const probe = killedByProbe(pod, graph, container);
  if (probe !== undefined) return probe;
  const isOther = otherArchitecture(pod, graph, container, {
    line: `${container.endMessage} ${line}`,
    details: told,
    phase,
  });
  if (isOther !== undefined) return isOther;
  if (
    container.exitCode === 126 ||
    container.exitCode === 127 ||
    container.ended === 'StartError' ||
    /executable file not found|command not found/.test(`${container.endMessage} ${line}`)
  ) {
    return leaf('F03', pod, phase, `the command of container ${container.name} of ${nodeText(pod)} cannot be run`, {
      ...told,
      field: commandField(container),
      fix: change(pod, graph, 'correct command and args, or the image'),
    });
  }
  return (
    byLog(pod, graph, container, { line, details: told, phase }) ??
    programError(pod, graph, container, { line, details: told, phase }) ??
    unexplainedCrash(pod, graph, container, { line, details: told, phase })
  );
}

/** Twice the limit: a guess that is seen and can be taken back; a limit that was enough before is better. */
function doubled(holder: Node, path: string, limit: string): Edit[] {
  const [, amount, unit] = /^(\d+)([KMGT]i?)?$/.exec(limit) ?? [];
  return amount === undefined || templateOf(holder) === ''
    ? []
    : [setting(holder, `${templateOf(holder)}.${path}.resources.limits.memory`, `${Number(amount) * 2}${unit ?? ''}`)];
}

const ERROR_WORDS =
  /error|fatal|panic|exception|fail|denied|refused|no such host|cannot|unable|missing|required|not found|AADSTS|forbidden|timeout|sealed|invalid/i;

/** The line of a log that says most: the last one that speaks of an error. */
function errorLineOf(lines: readonly string[]): string {
  const worded = lines.map((line) => line.trim()).filter((line) => line !== '');
  return (
    worded.findLast((line) => LOG_RULES.some(({ test }) => test.test(line))) ??
    worded.findLast((line) => ERROR_WORDS.test(line)) ??
    worded.at(-1) ??
    ''
  );
}

interface LogRule {
  readonly rule: string;
  readonly test: RegExp;
  make(match: RegExpExecArray, pod: Node, graph: Graph, container: ContainerFact, crash: Crash): Finding | undefined;
}

/** What programs of all kinds write, and what it means. */
const LOG_RULES: readonly LogRule[] = [
  {
    rule: 'B13',
    test: /AADSTS70021|AADSTS700213|No matching federated identity record|WebIdentityErr|AssumeRoleWithWebIdentity|InvalidIdentityToken/,
    make: (_match, pod, graph, container, { details, phase }) => {
      const account = textAt(pod.object, 'spec', 'serviceAccountName') || 'default';
      const subject = `system:serviceaccount:${pod.key.namespace}:${account}`;
      const holder = graph.store.refer({
        group: '',
        kind: 'ServiceAccount',
        namespace: pod.key.namespace,
        name: account,
      });
      return leaf('B13', pod, phase, `the cloud does not trust ${subject}, as which ${nodeText(pod)} comes`, {
        ...details,
        impact: 'infrastructure',
        blamed: holder,
        field: "metadata.annotations['azure.workload.identity/client-id']",
        signature: 'federated credential',
        commonTitle: 'the cloud does not trust service accounts: federated credentials are missing',
        evidence: [...details.evidence, { of: nodeText(holder), path: 'subject', value: subject }],
        fix: act(`add a federated credential with the subject ${subject}`, [], {
          where: 'outside',
          snippet: federated(shellWord(pod.key.namespace), shellWord(account)),
          verify: `kubectl logs ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} -c ${shellWord(container.name)}`,
        }),
      });
    },
  },
  {
    rule: 'B14',
    test: /SecretNotFound|A secret with \(name\/id\) (\S+) was not found|[Ss]ecret (\S+) (?:was )?not found in (?:key ?vault|vault)/,
    make: (match, pod, graph, _container, { details, phase, line }) =>
      leaf(
        'B14',
        pod,
        phase,
        `the vault has no secret ${match[1] ?? match[2] ?? /\(name\/id\) (\S+)/.exec(line)?.[1] ?? ''} that ` +
          `${nodeText(pod)} asks for`,
        {
          ...details,
          impact: 'infrastructure',
          signature: 'names in the vault',
          commonTitle: 'names of secrets in the vault differ from those asked for',
          field: 'spec.template.spec.containers[].env',
          fix: change(pod, graph, 'use the name that the vault has'),
        },
      ),
  },
  {
    rule: 'E10',
    test: /[Ff]orbidden.*(?:User|user) "?system:serviceaccount:([^:"]+):([^"\s]+)"? cannot (\w+) resource "?([a-z]+)"?/,
    make: ([, namespace = '', name = '', verb = '', resource = ''], pod, graph, _container, { details, phase }) =>
      leaf('E10', pod, phase, `the service account ${name} may not ${verb} ${resource}, which ${nodeText(pod)} does`, {
        ...details,
        ...missingRightOf(graph, { namespace, name, verb, resource }),
        fix: act(`allow ${verb} on ${resource} in the role of ${name}`, [], {
          verify:
            `kubectl auth can-i ${shellWord(verb)} ${shellWord(resource)} ` +
            `--as=system:serviceaccount:${shellWord(namespace)}:${shellWord(name)}`,
        }),
      }),
  },
  {
    rule: 'F02',
    test: /(?:lookup|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|could not (?:translate host name|resolve host:?)|[Uu]nknown host:?|UnknownHostException:?|Name or service not known:?|Temporary failure in name resolution:?) ?"?([a-z0-9][-a-z0-9.]*)"?/,
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    rule: 'F02',
    test: /(?:dial tcp|[Cc]onnect(?:ion|ing)?(?: to| refused to)?|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH):? "?(\d{1,3}(?:\.\d{1,3}){3}):(\d{2,5})/,
    make: ([, address = '', port = ''], pod, graph, ...rest) =>
      hostFault(nameOfAddress(address, graph), Number(port), pod, graph, ...rest),
  },
  {
    rule: 'F02',
    test: /(?:can't find|bad address|can't resolve) '?([a-z0-9][-a-z0-9.]*[a-z0-9])'?/,
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    rule: 'F02',
    test: /dial tcp: lookup ([a-z0-9][-a-z0-9.]*)/,
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    rule: 'F02',
    test: /(?:connect(?:ion)? (?:to )?|ECONNREFUSED |dial tcp )"?([a-z][-a-z0-9.]*[a-z0-9])"?:(\d{2,5})"?.*(?:refused|timed? ?out|failed)?/,
    make: ([, host = '', port = ''], ...rest) => hostFault(host, Number(port), ...rest),
  },
  {
    rule: 'F02',
    test: /^(?=.*(?:refused|timed? ?out|timeout|unreachable|no route|no response|reset by peer)).*?(?<![-\w.])([a-z](?:[-.]?[a-z0-9])*):(\d{2,5})\b/,
    make: namedByChance,
  },
];

/** What lets a service account of the cluster come as an identity of the cloud; the addresses are the owner's. */
function federated(namespace: string, account: string): string {
  return [
    `resource "azurerm_federated_identity_credential" "${namespace}-${account}" {`,
    `  name      = "${namespace}-${account}"`,
    '  parent_id = azurerm_user_assigned_identity.this.id',
    '  issuer    = azurerm_kubernetes_cluster.this.oidc_issuer_url',
    '  audience  = ["api://AzureADTokenExchange"]',
    `  subject   = "system:serviceaccount:${namespace}:${account}"`,
    '}',
    '',
  ].join('\n');
}

/** The name of the Service that has an address. */
function nameOfAddress(address: string, graph: Graph): string {
  return (
    graph
      .once(
        'services by address',
        () =>
          new Map(
            graph.store
              .ofKind('', 'Service')
              .map(({ key, object }) => [textAt(object, 'spec', 'clusterIP'), `${key.name}.${key.namespace}.svc`]),
          ),
      )
      .get(address) ?? ''
  );
}

/** A word with a number behind it is an address only where there is such a Service or the container is told of one. */
function namedByChance(
  [, host = '', port = '']: RegExpExecArray,
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  crash: Crash,
): Finding | undefined {
  const [service = '', namespace = pod.key.namespace] = host.split('.');
  const isKnown =
    graph.store.get({ group: '', kind: 'Service', namespace, name: service })?.object !== undefined ||
    hostNames(container.spec, container.path).some((each) => each.service === service);
  return isKnown ? hostFault(host, Number(port), pod, graph, container, crash) : undefined;
}

/** The program could not reach a host: a Service that is not there, does not serve, or does not have this port. */
function hostFault(
  host: string,
  port: number | undefined,
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { details, phase }: Crash,
): Finding | undefined {
  const [name = '', second] = host.split('.');
  const namespace = second === undefined || second === '' ? pod.key.namespace : second;
  if (name === '' || /^\d+$/.test(name) || name === 'localhost') return undefined;
  const service = graph.store.refer({ group: '', kind: 'Service', namespace, name });
  const used = hostNames(container.spec, container.path).find((each) => each.service === name);
  const field = used === undefined ? `spec.template.${container.path}.env` : `spec.template.${used.field}`;
  if (service.state === 'ghost')
    return delegate(
      'F02',
      pod,
      phase,
      `${nodeText(pod)} looks for the Service ${namespace}/${name}, which does not exist`,
      { ...details, field, target: service },
    );
  if (service.state === 'unknown') return undefined;
  const ports = servicePorts(service);
  if (port !== undefined && ports.length > 0 && !ports.includes(port))
    return leaf(
      'F02',
      pod,
      phase,
      `${nodeText(pod)} asks port ${port} of Service ${namespace}/${name}, which has ${ports.join(', ')}`,
      { ...details, field, fix: change(pod, graph, 'use a port that the Service has') },
    );
  const policy = textAt(pod.object, 'spec', 'dnsPolicy');
  if ((policy === 'None' || policy === 'Default') && details.evidence.some(({ value }) => UNRESOLVED.test(value)))
    return leaf('G09', pod, phase, `${nodeText(pod)} asks name servers that do not know ${nodeText(service)}`, {
      ...details,
      field: `spec.template.spec.${policy === 'None' ? 'dnsConfig' : 'dnsPolicy'}`,
      evidence: [...details.evidence, fact(pod, 'spec.dnsPolicy', policy)],
      fix: change(pod, graph, 'use dnsPolicy ClusterFirst, so that names of Services resolve'),
    });
  const isServing = selectedPods(service, graph).some((each) => conditionIs(each.object, 'Ready', 'True'));
  const between = dnsObstacle(graph, details) ?? (isServing ? deniedByPolicy(pod, service, graph) : undefined);
  if (between?.kind === 'names')
    return delegate(
      'G09',
      pod,
      phase,
      `${nodeText(pod)} gets no answer for the name ${host}, although ${nodeText(service)} is there`,
      { ...details, target: between.node, impact: 'infrastructure' },
    );
  if (between?.kind === 'policy')
    return leaf(
      'G08',
      pod,
      phase,
      `${nodeText(between.node)} does not let ${nodeText(pod)} reach ${nodeText(service)}`,
      {
        ...details,
        blamed: between.node,
        field: between.field,
        evidence: [
          ...details.evidence,
          fact(
            between.node,
            between.field,
            valueAt(between.node.object, 'spec', between.field === 'spec.ingress' ? 'ingress' : 'egress') ?? [],
          ),
        ],
        fix: change(between.node, graph, `allow pods like ${pod.key.name} to reach ${name}`, { risk: 'none' }),
      },
    );
  const agent = isServing ? brokenAgent(textAt(pod.object, 'spec', 'nodeName'), graph) : undefined;
  if (agent !== undefined)
    return delegate(
      'F10',
      pod,
      phase,
      `${nodeText(pod)} cannot reach ${nodeText(service)}: ${nodeText(agent)} does not work on its node`,
      { ...details, target: agent, impact: 'infrastructure' },
    );
  return delegate('F02', pod, phase, `${nodeText(pod)} cannot reach Service ${namespace}/${name}`, {
    ...details,
    target: service,
  });
}

export function servicePorts(service: Node): number[] {
  const ports = valueAt(service.object, 'spec', 'ports');
  return Array.isArray(ports)
    ? ports.map((each) => valueAt(each, 'port')).filter((each) => typeof each === 'number')
    : [];
}

function byLog(pod: Node, graph: Graph, container: ContainerFact, crashed: Crash): Finding | undefined {
  for (const { test, make } of LOG_RULES) {
    const match = test.exec(crashed.line);
    const finding = match === null ? undefined : make(match, pod, graph, container, crashed);
    if (finding !== undefined) return finding;
  }
  const { details, phase, line } = crashed;
  if (
    /access denied for user|password authentication failed|authentication failed|invalid (?:credentials|password|username)|login failed|WRONGPASS|NOAUTH|permission denied for (?:user|role)/i.test(
      line,
    )
  ) {
    const stale = staleVariable(pod, graph, container);
    if (stale !== undefined)
      return leaf(
        'B20',
        pod,
        phase,
        `${nodeText(pod)} is refused with a credential that has changed since it started: ${nodeText(stale)}`,
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
            'start it again: variables are read once',
            [`kubectl rollout restart ${kubectlName(graph.top(pod))}`],
            { risk: 'restart', verify: `kubectl get ${kubectlName(graph.top(pod))}` },
          ),
        },
      );
    return leaf('B19', pod, phase, `${nodeText(pod)} is refused with its credential`, {
      ...details,
      field: `spec.template.${container.path}.env`,
      fix: change(pod, graph, 'give it the credential that the server has'),
    });
  }
  if (
    /(?:environment variable|env var|setting|config(?:uration)?(?: value| key)?|flag|option)\s.*(?:required|missing|not set|undefined|unset|invalid)|(?:required|missing) (?:environment|env|config|setting|flag)|KeyError|is not set$/i.test(
      line,
    )
  ) {
    return leaf('F02', pod, phase, `${nodeText(pod)} lacks a setting: ${line}`, {
      ...details,
      field: `spec.template.${container.path}.env`,
      fix: change(pod, graph, 'set what the log names'),
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

/** What a container writes that runs and does not come to an end or become ready. */
export function runningLogFault(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  const line = errorLineOf(logLines(pod, graph, container.name));
  if (!container.isRunning || container.isReady || line === '') return undefined;
  return byLog(pod, graph, container, {
    line,
    details: { evidence: [fact(pod, `log of ${container.name}`, line)] },
    phase: container.isInit ? 'init' : 'run',
  });
}

/** A job that asks again and again and is refused each time runs and is ready: only its last word tells. */
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

/** Nothing names the cause: what it talks to may be it, and if all of that is fine, the program itself. */
function unexplainedCrash(pod: Node, graph: Graph, container: ContainerFact, { line, details, phase }: Crash): Finding {
  const title =
    `container ${container.name} of ${nodeText(pod)} ends with exit code ` +
    `${container.exitCode ?? '?'}${line === '' ? '' : `: ${line}`}`;
  return delegate(container.isInit ? 'F06' : 'F02', pod, phase, title, {
    ...details,
    field: commandField(container),
    fix: change(pod, graph, 'read the log, then correct the program or its settings'),
  });
}
