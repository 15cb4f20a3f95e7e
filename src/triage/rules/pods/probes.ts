import { type JsonObject, numberAt, objectAt, objectsAt } from '../../../model/json/index.js';
import { type Graph, nodeText, type Node } from '../../graph/index.js';
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

/** Which port a probe asks; undefined where it asks none, or a name that no port has. */
function portOf(
  probe: JsonObject,
  container: JsonObject,
): { readonly port: number | undefined; readonly said: string; readonly field: string } {
  for (const kind of ['httpGet', 'tcpSocket', 'grpc']) {
    const target = objectAt(probe, kind);
    if (target === undefined) continue;
    const { port } = target;
    const named =
      typeof port === 'string' && !/^\d+$/.test(port)
        ? objectsAt(container, 'ports').find((each) => textAt(each, 'name') === port)
        : undefined;
    const number =
      typeof port === 'number'
        ? port
        : typeof port === 'string' && /^\d+$/.test(port)
          ? Number(port)
          : numberAt(named, 'containerPort');
    return { port: number, said: String(port), field: `${kind}.port` };
  }
  return { port: undefined, said: '', field: 'exec.command' };
}

/**
 * A probe that fails because of how it is written: a port that no container opens, a wrong path or protocol, no
 * patience.
 */
export function probeFault(pod: Node, graph: Graph, container: ContainerFact, name: ProbeName): Finding | undefined {
  const probe = objectAt(container.spec, name);
  const event = eventOf(pod, graph, /^(Unhealthy|ProbeWarning)$/, EVENT[name]);
  if (probe === undefined) return undefined;
  const { port, said, field } = portOf(probe, container.spec);
  if (event === undefined) return name === 'readinessProbe' ? portNotOpen(pod, graph, container, port) : undefined;
  const ports = objectsAt(container.spec, 'ports')
    .map((each) => numberAt(each, 'containerPort'))
    .filter((each) => each !== undefined);
  const at = `spec.template.${container.path}.${name}`;
  const evidence = [
    fact(pod, `event ${event.reason}`, event.message),
    fact(pod, `${container.path}.${name}`, probe),
    fact(pod, `${container.path}.ports`, ports),
  ];
  const told = (path: string, say: string, more: Partial<Finding> = {}): Finding =>
    leaf(
      'F04',
      pod,
      name === 'readinessProbe' ? 'ready' : 'run',
      `the ${name} of container ${container.name} of ${nodeText(pod)} ${say}`,
      { evidence, field: `${at}.${path}`, fix: change(pod, graph, `correct ${name}`), ...more },
    );
  if (said !== '' && port === undefined) return told(field, `asks the port ${said}, which has no number`);
  if (port !== undefined && ports.length > 0 && !ports.includes(port))
    return told(field, `asks port ${port}; the container opens ${ports.join(', ')}`, {
      fix: change(pod, graph, `correct ${name}`, {
        edits:
          ports.length === 1 && templateOf(graph.top(pod)) !== ''
            ? ports.map((one) =>
                setting(graph.top(pod), `${templateOf(graph.top(pod))}.${container.path}.${name}.${field}`, one),
              )
            : [],
      }),
    });
  if (WRONG_SCHEME.test(event.message))
    return told(
      field.replace('.port', textAt(probe, 'httpGet', 'scheme') === 'HTTPS' ? '.scheme' : ''),
      'speaks another protocol than the container',
    );
  if (/statuscode: 40[34]|HTTP probe failed with statuscode: 4\d\d/.test(event.message))
    return told('httpGet.path', `asks ${textAt(probe, 'httpGet', 'path') || '/'}, which the container does not have`);
  if (field === 'exec.command' && /executable file not found|no such file|not found/.test(event.message))
    return told(field, 'runs a command that the image does not have');
  if (/deadline exceeded|timeout|timed out/i.test(event.message) && (numberAt(probe, 'timeoutSeconds') ?? 1) <= 1)
    return told('timeoutSeconds', 'has too little patience', { suspect: container.isRunning });
  const patience =
    (numberAt(probe, 'initialDelaySeconds') ?? 0) +
    (numberAt(probe, 'periodSeconds') ?? 10) * (numberAt(probe, 'failureThreshold') ?? 3);
  if (name !== 'readinessProbe' && patience <= 5)
    return told('failureThreshold', `ends the container ${patience} seconds after its start`);
  return undefined;
}

/** Events end after an hour: then only a port that the container does not name tells, and it need not name all. */
function portNotOpen(pod: Node, graph: Graph, container: ContainerFact, port: number | undefined): Finding | undefined {
  const ports = objectsAt(container.spec, 'ports').map((each) => numberAt(each, 'containerPort'));
  if (port === undefined || ports.length === 0 || ports.includes(port) || !container.isRunning || container.isReady)
    return undefined;
  return leaf(
    'F04',
    pod,
    'ready',
    `the readinessProbe of container ${container.name} of ${nodeText(pod)} asks port ${port}, which the ` +
      'container does not name',
    {
      suspect: true,
      evidence: [
        fact(pod, `${container.path}.readinessProbe`, objectAt(container.spec, 'readinessProbe')),
        fact(pod, `${container.path}.ports`, objectsAt(container.spec, 'ports')),
      ],
      field: `spec.template.${container.path}.readinessProbe`,
      fix: change(pod, graph, 'ask a port that the container opens'),
    },
  );
}

/** A probe that ends a container again and again, however it is written. */
export function killedByProbe(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (container.restarts === 0) return undefined;
  for (const name of ['livenessProbe', 'startupProbe'] as const) {
    const event = eventOf(pod, graph, /^Unhealthy$/, EVENT[name]);
    const killing = eventOf(pod, graph, /^Killing$/, /failed (liveness|startup) probe/);
    if (
      event === undefined ||
      killing === undefined ||
      objectAt(container.spec, name) === undefined ||
      !killing.message.includes(container.name)
    )
      continue;
    return (
      probeFault(pod, graph, container, name) ??
      leaf('F04', pod, 'run', `the ${name} of container ${container.name} of ${nodeText(pod)} fails and ends it`, {
        evidence: [fact(pod, 'event Unhealthy', event.message), fact(pod, 'event Killing', killing.message)],
        field: `spec.template.${container.path}.${name}`,
        suspect: true,
        fix: change(pod, graph, `correct ${name}, or what it asks`),
      })
    );
  }
  return undefined;
}
