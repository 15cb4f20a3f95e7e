import { type Json, type JsonObject, numberAt, objectAt, objectsAt } from '../../../model/json/index.js';
import { type Graph, isUnseen, nodeText, type Node, UNNAMED } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { Finding } from '../../findings/index.js';
import { change, fact, leaf, setting, templateOf } from '../make-finding.js';
import { eventOf, type ContainerFact } from './pod-facts.js';
import { anyOf } from '../any-of.js';

const WRONG_SCHEME = anyOf(
  /server gave HTTP response to HTTPS client|malformed HTTP/i,
  /HTTP\/1\.x transport connection broken|tls: first record|unsupported protocol/i,
  /bad status line/i,
);

type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';
const EVENT: Readonly<Record<ProbeName, RegExp>> = {
  livenessProbe: /^Liveness probe/i,
  readinessProbe: /^Readiness probe/i,
  startupProbe: /^Startup probe/i,
};

/** The port of a probe; undefined if it has none, or its name is not declared. */
function portOf(
  probe: JsonObject,
  container: JsonObject,
): { readonly port: number | undefined; readonly written: string; readonly field: string } {
  for (const kind of ['httpGet', 'tcpSocket', 'grpc']) {
    const target = objectAt(probe, kind);
    if (target === undefined) continue;
    const { port } = target;
    return { port: portNumber(port, container), written: String(port), field: `${kind}.port` };
  }
  return { port: undefined, written: '', field: 'exec.command' };
}

function portNumber(port: Json | undefined, container: JsonObject): number | undefined {
  if (typeof port === 'number') return port;
  if (typeof port !== 'string') return undefined;
  if (/^\d+$/.test(port)) return Number(port);
  return numberAt(
    objectsAt(container, 'ports').find((each) => textAt(each, 'name') === port),
    'containerPort',
  );
}

/**
 * A probe that fails because of how it is written: a port that no container opens, a wrong path or protocol, no
 * patience.
 */
export function probeFault(pod: Node, graph: Graph, container: ContainerFact, name: ProbeName): Finding | undefined {
  const probe = objectAt(container.spec, name);
  const event = eventOf(pod, graph, /^(Unhealthy|ProbeWarning)$/, EVENT[name]);
  if (probe === undefined) return undefined;
  const target = portOf(probe, container.spec);
  if (event === undefined)
    return name === 'readinessProbe' ? portNotOpen(pod, graph, container, target.port) : undefined;
  const ports = objectsAt(container.spec, 'ports')
    .map((each) => numberAt(each, 'containerPort'))
    .filter((each) => each !== undefined);
  const evidence = [
    fact(pod, `event ${event.reason}`, event.message),
    fact(pod, `${container.path}.${name}`, probe),
    fact(pod, `${container.path}.ports`, ports),
  ];
  const mistake =
    wrongPort(target, ports, name, pod, graph, container) ??
    wrongRequest(probe, target.field, event.message) ??
    impatience(probe, name, event.message, container);
  if (mistake === undefined) return undefined;
  const { path, say, ...more } = mistake;
  return leaf(
    'F04',
    pod,
    name === 'readinessProbe' ? 'ready' : 'run',
    `the ${name} of container ${container.name} of ${nodeText(pod)} ${say}`,
    {
      evidence,
      field: `spec.template.${container.path}.${name}.${path}`,
      fix: change(pod, graph, `correct the ${name}`),
      ...more,
    },
  );
}

/** A mistake in the definition of a probe. */
interface ProbeMistake extends Partial<Pick<Finding, 'fix' | 'suspect'>> {
  /** The field of the probe. */
  readonly path: string;
  readonly say: string;
}

function wrongPort(
  { port, written, field }: ReturnType<typeof portOf>,
  ports: readonly number[],
  name: ProbeName,
  pod: Node,
  graph: Graph,
  container: ContainerFact,
): ProbeMistake | undefined {
  if (written !== '' && port === undefined)
    return { path: field, say: `uses port ${written}, which no container port is named` };
  if (port === undefined || ports.length === 0 || ports.includes(port)) return undefined;
  const [only, ...others] = ports;
  const top = graph.top(pod);
  const edits =
    only === undefined || others.length > 0 || templateOf(top) === ''
      ? []
      : [setting(top, `${templateOf(top)}.${container.path}.${name}.${field}`, only)];
  return {
    path: field,
    say: `uses port ${port}; the container exposes ${ports.join(', ')}`,
    fix: change(pod, graph, `correct the ${name}`, { edits }),
  };
}

function wrongRequest(probe: JsonObject, field: string, message: string): ProbeMistake | undefined {
  if (WRONG_SCHEME.test(message)) {
    const path = field.replace('.port', textAt(probe, 'httpGet', 'scheme') === 'HTTPS' ? '.scheme' : '');
    return { path, say: 'uses the wrong protocol' };
  }
  if (/statuscode: 40[34]|HTTP probe failed with statuscode: 4\d\d/.test(message)) {
    const path = textAt(probe, 'httpGet', 'path') || '/';
    return { path: 'httpGet.path', say: `requests ${path}, which the container does not serve` };
  }
  return field === 'exec.command' && /executable file not found|no such file|not found/.test(message)
    ? { path: field, say: 'runs a command that is not in the image' }
    : undefined;
}

function impatience(
  probe: JsonObject,
  name: ProbeName,
  message: string,
  { isRunning }: ContainerFact,
): ProbeMistake | undefined {
  const isSlow = /deadline exceeded|timeout|timed out/i.test(message) && !/failed to connect service/.test(message);
  if (isSlow && (numberAt(probe, 'timeoutSeconds') ?? 1) <= 1)
    return { path: 'timeoutSeconds', say: 'times out too early', suspect: isRunning };
  const seconds =
    (numberAt(probe, 'initialDelaySeconds') ?? 0) +
    (numberAt(probe, 'periodSeconds') ?? 10) * (numberAt(probe, 'failureThreshold') ?? 3);
  return name !== 'readinessProbe' && seconds <= 5
    ? { path: 'failureThreshold', say: `kills the container ${seconds} seconds after its start` }
    : undefined;
}

/** Events expire after an hour: then only an undeclared port is a hint, since containers need not declare all ports. */
function portNotOpen(pod: Node, graph: Graph, container: ContainerFact, port: number | undefined): Finding | undefined {
  const ports = objectsAt(container.spec, 'ports').map((each) => numberAt(each, 'containerPort'));
  if (port === undefined || ports.length === 0 || ports.includes(port) || !container.isRunning || container.isReady)
    return undefined;
  return leaf(
    'F04',
    pod,
    'ready',
    `the readinessProbe of container ${container.name} of ${nodeText(pod)} uses port ${port}, which the ` +
      'container does not declare',
    {
      suspect: true,
      evidence: [
        fact(pod, `${container.path}.readinessProbe`, objectAt(container.spec, 'readinessProbe')),
        fact(pod, `${container.path}.ports`, objectsAt(container.spec, 'ports')),
      ],
      field: `spec.template.${container.path}.readinessProbe`,
      fix: change(pod, graph, 'use a port that the container exposes'),
    },
  );
}

/** A probe that keeps restarting a container, whatever its definition. */
export function killedByProbe(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (container.restarts === 0) return undefined;
  for (const name of ['livenessProbe', 'startupProbe'] as const) {
    const event = eventOf(pod, graph, /^Unhealthy$/, EVENT[name]);
    const killing = eventOf(pod, graph, /^Killing$/, /failed (liveness|startup) probe/);
    if (
      event === undefined ||
      killing === undefined ||
      (objectAt(container.spec, name) === undefined && !isUnseen(pod, 'spec.template')) ||
      !(container.name === UNNAMED || killing.message.includes(container.name))
    )
      continue;
    const answer = probeAnswer(pod, graph, container, name);
    const say = `the ${name} of container ${container.name} of ${nodeText(pod)} fails and restarts it`;
    return (
      probeFault(pod, graph, container, name) ??
      leaf('F04', pod, 'run', answer === undefined ? say : `${say}: ${answer}`, {
        evidence: [fact(pod, 'event Unhealthy', event.message), fact(pod, 'event Killing', killing.message)],
        field: `spec.template.${container.path}.${name}`,
        suspect: true,
        fix: change(pod, graph, `correct the ${name}, or the endpoint that it checks`),
      })
    );
  }
  return undefined;
}

/** A container that runs and is ready at the moment, because the probe that kills it again and again lets it start. */
export function killedAgain(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (container.restarts < MANY_RESTARTS) return undefined;
  const killing = eventOf(pod, graph, /^Killing$/, /failed (liveness|startup) probe/);
  const isOver = killing?.time !== undefined && graph.time - killing.time > LONG_AGO;
  return isOver ? undefined : killedByProbe(pod, graph, container);
}

/** One restart may have had any reason. */
const MANY_RESTARTS = 2;
/** A container that ran for this long since its last restart is past it. */
const LONG_AGO = 3_600_000;

/** What a probe that fails was answered, in the words of somebody who looks for the reason. */
export function probeAnswer(pod: Node, graph: Graph, { spec }: ContainerFact, name: ProbeName): string | undefined {
  const probe = objectAt(spec, name);
  const event = eventOf(pod, graph, /^(Unhealthy|ProbeWarning)$/, EVENT[name]);
  if (probe === undefined || event === undefined) return undefined;
  const { written } = portOf(probe, spec);
  if (written !== '' && /connection refused|failed to connect service/.test(event.message))
    return `nobody listens on port ${written}`;
  if (/deadline exceeded|timed out|i\/o timeout/i.test(event.message)) return 'it gets no answer in time';
  const status = /statuscode: (\d{3})/.exec(event.message)?.[1];
  if (status !== undefined) return `it is answered ${status}`;
  return objectAt(probe, 'exec') === undefined ? undefined : 'its command fails';
}
