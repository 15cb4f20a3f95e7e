import { numberAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';
import type { Crash } from './crash.js';
import { DISK_FULL, diskFull, fileNotReadable, NOT_WRITABLE, pathNotWritable } from './file-errors.js';
import { type ContainerFact, containerFacts } from './pod-facts.js';
import { anyOf } from '../any-of.js';

const MEMORY_EXHAUSTED = anyOf(
  /OutOfMemoryError|heap out of memory|\bMemoryError\b|[Cc]annot allocate memory/,
  /std::bad_alloc|fatal error: out of memory/,
);

const PORT_IN_USE = anyOf(
  /address (?:is )?already in use/i,
  /EADDRINUSE/i,
  /port:? \d+ (?:is |was )?(?:already )?(?:in use|bound|allocated|taken)/i,
  /only one usage of each socket/i,
);

const KNOWN = [MEMORY_EXHAUSTED, PORT_IN_USE, DISK_FULL, ...NOT_WRITABLE];

/** Whether a line is about the environment of a program. */
export function isProgramError(line: string): boolean {
  return KNOWN.some((test) => test.test(line));
}

type ProgramErrorRule = (pod: Node, graph: Graph, container: ContainerFact, crash: Crash) => Finding | undefined;

/** Errors of a program about its environment: port, files, permissions. */
export function programError(pod: Node, graph: Graph, container: ContainerFact, crash: Crash): Finding | undefined {
  for (const read of PROGRAM_ERROR_RULES) {
    const finding = read(pod, graph, container, crash);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

const PROGRAM_ERROR_RULES: readonly ProgramErrorRule[] = [
  diskFull,
  outOfMemory,
  portInUse,
  pathNotWritable,
  fileNotReadable,
];

/** The kernel does not know the binary format: nearly always a different CPU architecture. */
export function otherArchitecture(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!/exec format error/i.test(line)) return undefined;
  const node = graph.store.get({
    group: '',
    kind: 'Node',
    namespace: '',
    name: textAt(pod.object, 'spec', 'nodeName'),
  });
  const processor = textAt(node?.object, 'status', 'nodeInfo', 'architecture');
  return leaf(
    'E05',
    pod,
    phase,
    `the image of container ${container.name} of ${nodeText(pod)} does not support the CPU architecture of its ` +
      `node${processor === '' ? '' : `, ${processor}`}`,
    {
      ...details,
      field: `spec.template.${container.path}.image`,
      evidence: [...details.evidence, fact(pod, `${container.path}.image`, textAt(container.spec, 'image'))],
      fix: change(pod, graph, 'use an image for this architecture, or schedule on matching nodes'),
    },
  );
}

/** A program that ends itself because it got no memory: the kernel did not have to. */
function outOfMemory(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!MEMORY_EXHAUSTED.test(line)) return undefined;
  return leaf('F01', pod, phase, `container ${container.name} of ${nodeText(pod)} runs out of memory: ${line}`, {
    ...details,
    field: `spec.template.${container.path}.resources.limits.memory`,
    evidence: [
      ...details.evidence,
      fact(
        pod,
        `${container.path}.resources.limits.memory`,
        valueAt(container.spec, 'resources', 'limits', 'memory') ?? null,
      ),
    ],
    suspect: true,
    fix: change(pod, graph, 'raise the memory limit and the limit inside the program, or reduce memory use'),
  });
}

/** Containers of a pod share their ports. */
function portInUse(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!PORT_IN_USE.test(line)) return undefined;
  const port = Number(/[:\s](\d{2,5})(?!\d)/.exec(line)?.[1] ?? NaN);
  const other = containerFacts(pod).find(
    ({ name, spec }) =>
      name !== container.name && objectsAt(spec, 'ports').some((each) => numberAt(each, 'containerPort') === port),
  );
  return leaf(
    'F17',
    pod,
    phase,
    `container ${container.name} of ${nodeText(pod)} binds port ${Number.isNaN(port) ? '' : port}, which ` +
      (other === undefined ? 'is in use' : `container ${other.name} uses`),
    {
      ...details,
      field: `spec.template.${container.path}.ports`,
      ...(other === undefined
        ? { suspect: true }
        : { evidence: [...details.evidence, fact(pod, `${other.path}.ports`, valueAt(other.spec, 'ports') ?? null)] }),
      fix: change(pod, graph, 'change the port of one of them'),
    },
  );
}
