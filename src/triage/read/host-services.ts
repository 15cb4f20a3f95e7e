import type { HostServiceFact } from '../snapshot/index.js';

/** What of a node's operating system the cluster stands on. */
const UNITS =
  /^(?:kubelet|containerd|crio|cri-o|docker|cri-docker(?:d)?|kube-proxy|k3s(?:-agent)?|rke2-(?:server|agent)|k0s\w*|etcd|flanneld|systemd-resolved|chronyd|snap\.microk8s\.\S+)(?:\.service)?$/;
const HEAD = /^\s*(?:[●○×↻*]|\u25cf)?\s*([\w@.-]+)\.service(?: - .*)?$/;
const ACTIVE = /^\s*Active:\s+(\w+)\s*(.*)$/;
/** The journal names the machine in each line: `Nov 16 12:00:01 pool-a-1 kubelet[812]: ...`. */
const JOURNAL = /^\s*(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (\S+) ([\w.@-]+)(?:\[\d+\])?: (.*)$/;
const SINCE = /since \w{3} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:UTC|GMT|\+0000|Z)/;
/** What systemd says in the journal about a service that it starts and stops. */
const STOPPED =
  /^(\S+)\.service: (?:Failed with result|Main process exited|Start request repeated too quickly)|^(?:Stopped|Failed to start) (.*?)\.?$/;
const STARTED = /^Started (.*?)\.?$/;
const MAX_LINES = 20;

/** Whether a line begins what `systemctl status` prints of a service. */
export function isUnitHead(line: string): boolean {
  const name = HEAD.exec(line)?.[1];
  return name !== undefined && /[●○×↻*]/.test(line);
}

/** Whether a file is output of `systemctl status` or of `journalctl`. */
export function isHostText(start: string): boolean {
  const lines = start.split('\n', 6).filter((line) => line.trim() !== '' && !line.startsWith('-- '));
  return lines.length > 0 && (isUnitHead(lines[0] ?? '') || lines.slice(0, 3).every((line) => JOURNAL.test(line)));
}

/** The services in outputs of `systemctl status` and `journalctl`; `node` is the machine if the text does not name it. */
export function hostServices(lines: readonly string[], node: string): HostServiceFact[] {
  const found = [...statusBlocks(lines, node), ...(lines.some(isUnitHead) ? [] : fromJournal(lines, node))];
  return found.filter(({ unit, node: machine }) => UNITS.test(unit) && machine !== '');
}

function statusBlocks(lines: readonly string[], node: string): HostServiceFact[] {
  const blocks: string[][] = [];
  for (const line of lines) {
    if (isUnitHead(line)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.flatMap(([head = '', ...rest]) => {
    const active = rest.map((line) => ACTIVE.exec(line)).find((match) => match !== null);
    if (active === undefined) return [];
    const journal = rest.filter((line) => JOURNAL.test(line)).slice(-MAX_LINES);
    const [, state = '', says = ''] = active;
    const since = Date.parse(`${(SINCE.exec(says)?.[1] ?? '').replace(' ', 'T')}Z`);
    return [
      {
        node: JOURNAL.exec(journal[0] ?? '')?.[1] ?? node,
        unit: `${HEAD.exec(head)?.[1] ?? ''}.service`,
        state,
        says: `${state} ${says}`.trim(),
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
    const unit = word?.unit ?? (UNITS.test(program) ? `${program}.service` : undefined);
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
  const [, byName, byText] = STOPPED.exec(message) ?? [];
  const started = STARTED.exec(message)?.[1];
  const text = byName ?? byText ?? started;
  const unit =
    (text ?? '')
      .split(/[\s:]/)[0]
      ?.replace(/\.service$/, '')
      .toLowerCase() ?? '';
  if (!UNITS.test(unit)) return undefined;
  return { unit: `${unit}.service`, state: started === undefined ? 'failed' : 'active' };
}
