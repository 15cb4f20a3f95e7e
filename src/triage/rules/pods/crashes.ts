import { valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { byLog, errorLineOf } from './log-faults.js';
import { doubled } from './log-rules.js';
import { type ContainerFact, logLines } from './pod-facts.js';
import { killedByProbe } from './probes.js';
import { type Crash } from './crash.js';
import { otherArchitecture, programError } from './program-errors.js';
import { commandField } from './starting.js';

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
