import type { HostServiceFact } from '../snapshot/index.js';

/** What of a node's operating system the cluster stands on. */
const UNITS = new Set([
  ...[
    'kubelet',
    'containerd',
    'crio',
    'cri-o',
    'docker',
    'cri-docker',
    'cri-dockerd',
    'kube-proxy',
    'etcd',
    'flanneld',
  ],
  ...['k3s', 'k3s-agent', 'rke2-server', 'rke2-agent', 'k0scontroller', 'k0sworker', 'systemd-resolved', 'chronyd'],
]);
/** How systemd marks a service in front of its name. */
const MARKS = new Set(['\u25cf', '\u25cb', '\u00d7', '\u21bb', '*']);
const ACTIVE = 'Active: ';
/** The journal names the machine in each line: `Nov 16 12:00:01 pool-a-1 kubelet[812]: ...`. */
const JOURNAL = /^\s*(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (\S+) ([\w.@-]+)(?:\[\d+\])?: (.*)$/;
const SINCE = /since \w{3} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:UTC|GMT|\+0000|Z)/;
/** What systemd says in the journal about a service that it starts and stops. */
const FAILED = /^(\S+)\.service: (?:Failed with result|Main process exited|Start request repeated too quickly)/;
const STOPPED = /^(?:Stopped|Failed to start) (.*)$/;
const STARTED = /^Started (.*)$/;
const MAX_LINES = 20;

/** Whether a line begins what `systemctl status` prints of a service. */
export function isUnitHead(line: string): boolean {
  return unitIn(line) !== undefined;
}

function unitIn(line: string): string | undefined {
  const [mark = '', name = ''] = line.slice(0, 300).trim().split(' ');
  return MARKS.has(mark) && name.endsWith('.service') ? name : undefined;
}

function isKnown(unit: string): boolean {
  return UNITS.has(unit.replace('.service', ''));
}

/** Whether a file is output of `systemctl status` or of `journalctl`. */
export function isHostText(start: string): boolean {
  const lines = start.split('\n', 6).filter((line) => line.trim() !== '' && !line.startsWith('-- '));
  return lines.length > 0 && (isUnitHead(lines[0] ?? '') || lines.slice(0, 3).every((line) => JOURNAL.test(line)));
}

/** The services in outputs of systemctl and journalctl; `node` is the machine where the text does not name it. */
export function hostServices(lines: readonly string[], node: string): HostServiceFact[] {
  const found = [...statusBlocks(lines, node), ...(lines.some(isUnitHead) ? [] : fromJournal(lines, node))];
  return found.filter(({ unit, node: machine }) => isKnown(unit) && machine !== '');
}

function statusBlocks(lines: readonly string[], node: string): HostServiceFact[] {
  const blocks: string[][] = [];
  for (const line of lines) {
    if (isUnitHead(line)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.flatMap(([head = '', ...rest]) => {
    const active = rest.map((line) => line.trim()).find((line) => line.startsWith(ACTIVE));
    if (active === undefined) return [];
    const journal = rest.filter((line) => JOURNAL.test(line)).slice(-MAX_LINES);
    const says = active.slice(ACTIVE.length);
    const since = Date.parse(`${(SINCE.exec(says)?.[1] ?? '').replace(' ', 'T')}Z`);
    return [
      {
        node: JOURNAL.exec(journal[0] ?? '')?.[1] ?? node,
        unit: unitIn(head) ?? '',
        state: says.split(' ')[0] ?? '',
        says,
        since: Number.isNaN(since) ? undefined : since,
        lines: journal.map(messageOf),
      },
    ];
  });
}

const messageOf = (line: string): string => JOURNAL.exec(line)?.[3] ?? line.trim();

interface Journal {
  node: string;
  state: string;
  says: string;
  lines: string[];
}

/** The last word of systemd about each service, and the last lines of the service itself. */
function fromJournal(lines: readonly string[], node: string): HostServiceFact[] {
  const units = new Map<string, Journal>();
  for (const line of lines) {
    const [, machine = node, program = '', message = ''] = JOURNAL.exec(line) ?? [];
    const word = program === 'systemd' ? wordAbout(message) : undefined;
    const unit = word?.unit ?? (isKnown(program) ? `${program}.service` : undefined);
    if (unit === undefined) continue;
    const known = units.get(unit) ?? { node: machine, state: 'active', says: '', lines: [] };
    units.set(unit, known);
    if (word === undefined) known.lines.push(message);
    else Object.assign(known, { state: word.state, says: message });
  }
  return [...units].map(([unit, { lines: own, ...rest }]) => ({
    ...rest,
    unit,
    since: undefined,
    lines: own.slice(-MAX_LINES),
  }));
}

/** `Stopped kubelet: The Kubernetes Node Agent.` and `kubelet.service: Failed with result 'exit-code'.` */
function wordAbout(message: string): { readonly unit: string; readonly state: string } | undefined {
  const [byName, byText] = [FAILED.exec(message)?.[1], STOPPED.exec(message)?.[1]];
  const started = STARTED.exec(message)?.[1];
  const text = byName ?? byText ?? started;
  const unit =
    (text ?? '')
      .split(/[\s:]/)[0]
      ?.replace(/\.service$/, '')
      .toLowerCase() ?? '';
  if (!isKnown(unit)) return undefined;
  return { unit: `${unit}.service`, state: started === undefined ? 'failed' : 'active' };
}
