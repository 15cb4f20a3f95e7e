import { valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { namesOutside } from './host-faults.js';
import { byLines, byLog, errorLinesOf } from './log-faults.js';
import { doubled } from './log-rules.js';
import { type ContainerFact, eventOf, logLines } from './pod-facts.js';
import { killedByProbe } from './probes.js';
import { isKilledAtStart } from './sandboxes.js';
import type { Crash } from './crash.js';
import { otherArchitecture, programError } from './program-errors.js';
import { commandField } from './starting.js';

/** A container that terminated unexpectedly or keeps crashing. */
export function crash(pod: Node, graph: Graph, container: ContainerFact): Finding | undefined {
  if (!hasCrashed(container) && !isBetweenCrashes(container, graph.time)) return undefined;
  const lines = errorLinesOf([...container.endMessage.split('\n'), ...logLines(pod, graph, container.name)]);
  const [line] = lines;
  const state = container.waiting === '' ? container.ended : container.waiting;
  const evidence = [
    fact(
      pod,
      'status.containerStatuses[].state',
      state +
        (container.exitCode === undefined ? '' : `, exit code ${container.exitCode}`) +
        (container.restarts === 0 && container.exitCode === undefined ? '' : `, ${container.restarts} restarts`),
    ),
  ];
  const withLine = (text: string): Finding['evidence'] =>
    text === '' ? evidence : [...evidence, fact(pod, `log of ${container.name}`, text)];
  const crashed: Crash = {
    line,
    details: { evidence: withLine(line), ...(container.endedAt === undefined ? {} : { onset: container.endedAt }) },
    phase: container.isInit ? 'init' : 'run',
  };
  const ended = { ...crashed, line: `${container.endMessage} ${line}` };
  return (
    memoryLimit(pod, graph, container, ended) ??
    hookFailed(pod, graph, container, crashed) ??
    killedByProbe(pod, graph, container) ??
    otherArchitecture(pod, graph, container, ended) ??
    noWorkingDirectory(pod, graph, container, ended) ??
    commandNotRun(pod, graph, container, ended) ??
    byLines(lines, (each) => {
      const read: Crash = { ...crashed, line: each, details: { ...crashed.details, evidence: withLine(each) } };
      return byLog(pod, graph, container, read) ?? programError(pod, graph, container, read);
    }) ??
    namesOutside(pod, graph, container, crashed) ??
    unexplainedCrash(pod, graph, container, crashed)
  );
}

function hasCrashed({ waiting, exitCode, isRunning, isReady, restarts }: ContainerFact): boolean {
  if (waiting === 'CrashLoopBackOff') return true;
  if (exitCode === undefined || exitCode === 0) return false;
  return !isRunning || (!isReady && restarts > 0);
}

/** So many restarts are no accident any more. */
const MANY_RESTARTS = 3;
/** The longest pause between two starts of a container that crashes. */
const LONGEST_BACK_OFF = 330_000;

/** A container that runs at the moment, as it did for as long before it ended the last time, and will end again. */
function isBetweenCrashes({ isRunning, restarts, endedAt, startedAt, ranFor }: ContainerFact, now: number): boolean {
  if (!isRunning || restarts < MANY_RESTARTS || endedAt === undefined || startedAt === undefined) return false;
  return startedAt - endedAt <= LONGEST_BACK_OFF && now - startedAt <= (ranFor ?? 0) + MOMENT;
}
const MOMENT = 5_000;

/** The kubelet kills a container whose postStart hook fails: its exit code says nothing. */
function hookFailed(pod: Node, graph: Graph, container: ContainerFact, { details, phase }: Crash): Finding | undefined {
  const event = eventOf(pod, graph, /^FailedPostStartHook$/);
  const path = `${container.path}.lifecycle.postStart`;
  const hook = valueAt(container.spec, 'lifecycle', 'postStart');
  if (event === undefined || hook === undefined) return undefined;
  return leaf(
    'F03',
    pod,
    phase,
    `the postStart hook of container ${container.name} of ${nodeText(pod)} fails, and so the container is killed`,
    {
      ...details,
      evidence: [...details.evidence, fact(pod, 'event FailedPostStartHook', event.message), fact(pod, path, hook)],
      field: `spec.template.${path}`,
      fix: change(pod, graph, 'correct the command of the hook, or what it needs'),
    },
  );
}

const NO_DIRECTORY = /chdir to cwd \("([^"]+)"\)|error during container init: mkdir (\S+): not a directory/;

/** The runtime enters the working directory before it runs anything. */
function noWorkingDirectory(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  const directory = textAt(container.spec, 'workingDir');
  const match = NO_DIRECTORY.exec(line);
  if (match === null || directory === '') return undefined;
  return leaf(
    'F03',
    pod,
    phase,
    `the workingDir ${directory} of container ${container.name} of ${nodeText(pod)} is no directory that it can enter`,
    {
      ...details,
      field: `spec.template.${container.path}.workingDir`,
      fix: change(pod, graph, 'name a directory of the image that its user can enter, or remove workingDir'),
    },
  );
}

function memoryLimit(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  const isKilled = container.exitCode === 137 && /OOM|out of memory|MemoryError|heap out of memory/i.test(line);
  if (container.ended !== 'OOMKilled' && !isKilled && !isKilledAtStart(container.endMessage)) return undefined;
  const limit = textAt(container.spec, 'resources', 'limits', 'memory');
  const path = `${container.path}.resources.limits.memory`;
  return leaf(
    'F01',
    pod,
    phase,
    `container ${container.name} of ${nodeText(pod)} exceeds its memory limit` + (limit === '' ? '' : ` of ${limit}`),
    {
      ...details,
      evidence: [
        ...details.evidence,
        fact(pod, path, valueAt(container.spec, 'resources', 'limits', 'memory') ?? null),
      ],
      field: `spec.template.${path}`,
      fix: change(pod, graph, 'raise the memory limit, or reduce memory use', {
        edits: doubled(graph.top(pod), container.path, limit),
        isGuess: true,
      }),
    },
  );
}

function commandNotRun(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  const { exitCode, ended } = container;
  const isNotRun =
    exitCode === 126 ||
    exitCode === 127 ||
    ended === 'StartError' ||
    /executable file not found|command not found/.test(line);
  if (!isNotRun) return undefined;
  return leaf('F03', pod, phase, `cannot run the command of container ${container.name} of ${nodeText(pod)}`, {
    ...details,
    field: commandField(container),
    fix: change(pod, graph, 'correct command and args, or the image'),
  });
}

/** Nothing names the cause: what it talks to may be it, and if all of that is fine, the program itself. */
function unexplainedCrash(pod: Node, graph: Graph, container: ContainerFact, { line, details, phase }: Crash): Finding {
  const title =
    `container ${container.name} of ${nodeText(pod)} ` +
    (container.exitCode === undefined ? 'crashes' : `exits with code ${container.exitCode}`) +
    (line === '' ? '' : `: ${line}`);
  return delegate(container.isInit ? 'F06' : 'F02', pod, phase, title, {
    ...details,
    field: commandField(container),
    fix: change(pod, graph, 'read the log, then fix the program or its configuration'),
  });
}
