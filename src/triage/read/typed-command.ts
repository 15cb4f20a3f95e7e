/** A command of kubectl as somebody typed it before what it printed. */
export interface TypedCommand {
  readonly verb: string;
  /** The resource as it was typed, singular or plural, or `deploy` of `deploy/web`. */
  readonly resource: string;
  readonly names: readonly string[];
  readonly namespace: string | undefined;
  readonly container: string;
  readonly isPrevious: boolean;
  readonly output: string;
}

/** A prompt, which ends with a sign, may stand before the program. */
const COMMAND = /^(?:\S{0,80}(?: \S{1,60})?[$#%>❯➜»] +)?(?:sudo +)?(?:kubectl|oc|kubecolor|k) (?=\S)/;
const VERBS = new Set(['get', 'describe', 'logs', 'log', 'top', 'events', 'version', 'config', 'explain', 'apply']);
/** Flags with a value behind them. */
const WITH_VALUE = new Set([
  '-n',
  '--namespace',
  '-o',
  '--output',
  '-c',
  '--container',
  '-l',
  '--selector',
  '-f',
  '--filename',
  '--context',
  '--kubeconfig',
  '--tail',
  '--since',
  '--sort-by',
  '--field-selector',
  '--limit-bytes',
  '--cluster',
  '--user',
]);

/** A command on a node: over ssh, or in a shell there, whose prompt names the node. */
function hostCommand(text: string): TypedCommand | undefined {
  const words = text.split(' ').filter((word) => word !== '');
  const at = words.findIndex((word) => /^["']?(?:systemctl|journalctl)$/.test(word));
  if (at < 0 || at === words.length - 1) return undefined;
  const before = words.slice(0, at).filter((word) => word !== 'sudo');
  const ssh = before.lastIndexOf('ssh');
  const prompt = before.findIndex((word) => /[#$%>]$/.test(word));
  if (before.length > 0 && ssh < 0 && prompt !== before.length - 1) return undefined;
  const host = ssh < 0 ? before[0] : before.slice(ssh + 1).findLast((word) => !word.startsWith('-'));
  const node = /^[\w.-]+/.exec((host ?? '').split('@').at(-1)?.replace('[', '') ?? '')?.[0] ?? '';
  const verb = (words[at] ?? '').replace(/^["']/, '');
  return { verb, resource: '', names: [node], namespace: undefined, container: '', isPrevious: false, output: '' };
}

/** What a line asks kubectl for, or systemd on a node; undefined for every other line. */
export function typedCommand(line: string): TypedCommand | undefined {
  if (line.length > 2_000) return undefined;
  const text = line.trim();
  return hostCommand(text) ?? kubectlCommand(text);
}

function kubectlCommand(text: string): TypedCommand | undefined {
  const begin = COMMAND.exec(text)?.[0];
  if (begin === undefined) return undefined;
  const rest = text.slice(begin.length).split(/\s(?:[|>;&]|2>)/)[0] ?? '';
  const { flags, positional } = flagsOf(rest.trim().split(/\s+/));
  const [verb = '', target = '', ...names] = positional;
  if (!VERBS.has(verb)) return undefined;
  const [resource = '', ...parts] = target.split('/');
  const isLog = verb.startsWith('log');
  return {
    verb: isLog ? 'logs' : verb,
    resource: isLog && parts.length === 0 ? 'pod' : resource.toLowerCase(),
    names: namesOf(isLog, resource, parts, names),
    namespace: flags.get('-n') ?? flags.get('--namespace'),
    container: flags.get('-c') ?? flags.get('--container') ?? (isLog ? (names[0] ?? '') : ''),
    isPrevious: flags.has('-p') || flags.get('--previous') !== undefined,
    output: flags.get('-o') ?? flags.get('--output') ?? '',
  };
}

function namesOf(isLog: boolean, first: string, parts: readonly string[], others: readonly string[]): string[] {
  if (parts.length > 0) return [parts.join('/')];
  return isLog ? [first] : [...others];
}

/** Flags by their names, with `-nshop`, `--namespace=shop` and `-n shop` read alike. */
function flagsOf(words: readonly string[]): {
  readonly flags: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
} {
  const flags = new Map<string, string>();
  const positional: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const equals = word.indexOf('=');
    if (!word.startsWith('-') || word === '-') positional.push(word);
    else if (word.startsWith('--') && equals > 0) flags.set(word.slice(0, equals), word.slice(equals + 1));
    else if (WITH_VALUE.has(word)) flags.set(word, words[++index] ?? '');
    else if (/^-[noc][^-]/.test(word)) flags.set(word.slice(0, 2), word.slice(2).replace(/^=/, ''));
    else flags.set(word, '');
  }
  return { flags, positional };
}
