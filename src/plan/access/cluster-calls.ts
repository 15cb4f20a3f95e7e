import { shellCommands, type ShellWords } from './shell-words.js';

/** What a call of `kubectl` or `oc` asks of the server. */
export interface Need {
  readonly verb: string;
  /** As the command names it: `imagestreamtag`, `builds.build.openshift.io`. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for all, or where only the run knows it. */
  readonly name: string;
  /** Undefined: the namespace of the pod. Empty: all of them. */
  readonly namespace?: string;
  /** The command, for people. */
  readonly command: string;
  /** It is asked until the object is there, or is as it should be. */
  readonly isAwaited?: boolean;
}

/** What is known of a command: what it needs, or why that cannot be said. */
export interface CommandNeeds {
  readonly needs: readonly Need[];
  readonly unknown: readonly string[];
}

/** Flags whose value is the next word. */
const VALUED = new Set([
  '-n',
  '--namespace',
  '-o',
  '--output',
  '-l',
  '--selector',
  '-f',
  '--filename',
  '-c',
  '--container',
  '-p',
  '--patch',
  '--for',
  '--timeout',
  '--field-selector',
  '--context',
  '--cluster',
  '--template',
  '--sort-by',
  '--type',
  '--replicas',
  '--since',
  '--tail',
  '--request-timeout',
  '-k',
  '--kustomize',
  '--from-literal',
  '--from-file',
  '--subresource',
  '-L',
  '--label-columns',
]);
/** With these the call is made as somebody else. */
const OTHER_IDENTITY = ['--as', '--token', '--kubeconfig', '--user', '--server', '-s'];
/** What they say is nobody's business, although it stands in git. */
const SECRET_FLAGS = /(--(?:token|password|from-literal|client-key))[= ][^ ]+/g;
/** Ask about nothing that rights are needed for. */
const HARMLESS = new Set([
  'version',
  'whoami',
  'config',
  'help',
  'completion',
  'explain',
  'api-resources',
  'api-versions',
  'cluster-info',
  'auth',
  'options',
  'project',
  'kustomize',
]);
const READS: Readonly<Record<string, readonly string[]>> = {
  wait: ['get', 'list', 'watch'],
  patch: ['get', 'patch'],
  label: ['get', 'patch'],
  annotate: ['get', 'patch'],
  edit: ['get', 'patch'],
  delete: ['get', 'delete'],
  create: ['create'],
};

/** What the scripts of a container need of the server. */
export function readScripts(texts: readonly string[]): CommandNeeds {
  return mergeNeeds(
    texts.flatMap((text) => shellCommands(text)).map(({ words, isRepeated }) => readCommand(words, isRepeated)),
  );
}

/** A command as a container has it: its words, of which one may be a script. */
export function readCommand(words: ShellWords, isRepeated = false): CommandNeeds {
  const [program = '', ...rest] = words;
  const name = program.split('/').at(-1) ?? '';
  if (name === 'kubectl' || name === 'oc') return readCall(rest, words.join(' '), isRepeated);
  if (!/^(?:ba|da|z|a)?sh$/.test(name)) return { needs: [], unknown: [] };
  const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = flag < 0 ? undefined : rest.slice(flag + 1).find((word) => !word.startsWith('-'));
  return script === undefined ? { needs: [], unknown: [] } : readScripts([script]);
}

export function mergeNeeds(readings: readonly CommandNeeds[]): CommandNeeds {
  return {
    needs: readings.flatMap(({ needs }) => needs),
    unknown: [...new Set(readings.flatMap(({ unknown }) => unknown))],
  };
}

interface Call {
  readonly verb: string;
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly command: string;
}

/** Calls that wait by themselves. */
const WAITS = new Set(['wait', 'rollout']);

function readCall(words: readonly string[], command: string, isRepeated: boolean): CommandNeeds {
  const call = splitFlags(words, command);
  const unknown = (why: string): CommandNeeds => ({ needs: [], unknown: [`"${short(command)}": ${why}`] });
  if (OTHER_IDENTITY.some((flag) => call.flags.has(flag))) return unknown('it uses credentials of its own');
  if (call.verb === '' || HARMLESS.has(call.verb) || call.flags.has('--dry-run')) return { needs: [], unknown: [] };
  if (call.verb.includes('$') || (call.flags.get('--namespace') ?? '').includes('$'))
    return unknown('only its run knows what it asks for');
  const needs = needsOf(call);
  if (needs === undefined) return unknown('what it needs is not known');
  const isAwaited = isRepeated || WAITS.has(call.verb);
  return { needs: isAwaited ? needs.map((each) => ({ ...each, isAwaited })) : needs, unknown: [] };
}

function splitFlags(words: readonly string[], command: string): Call {
  const flags = new Map<string, string>();
  const plain: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') break;
    if (isRedirection(word)) index += /[<>]$/.test(word) ? 1 : 0;
    else if (!word.startsWith('-') || word === '-') plain.push(word);
    else if (word.includes('='))
      flags.set(longName(word.slice(0, word.indexOf('='))), word.slice(word.indexOf('=') + 1));
    else if (VALUED.has(word)) flags.set(longName(word), words[++index] ?? '');
    else if (/^-n./.test(word)) flags.set('--namespace', word.slice(2));
    else flags.set(longName(word), '');
  }
  const [verb = '', ...rest] = plain;
  return { verb, words: rest, flags, command };
}

function longName(flag: string): string {
  return { '-n': '--namespace', '-A': '--all-namespaces', '-w': '--watch', '-f': '--filename' }[flag] ?? flag;
}

function isRedirection(word: string): boolean {
  return /^(?:\d|&)?[<>]/.test(word);
}

const OTHER_NEEDS: ReadonlyMap<string, (call: Call) => Need[] | undefined> = new Map([
  ['rollout', rolloutNeeds],
  ['logs', logNeeds],
  ['exec', (call) => [need(call, 'get', 'pods', call.words[0]), need(call, 'create', 'pods', call.words[0], 'exec')]],
  [
    'start-build',
    (call) => [
      need(call, 'get', 'buildconfigs', call.words[0]),
      need(call, 'create', 'buildconfigs', call.words[0], 'instantiate'),
    ],
  ],
]);

function needsOf(call: Call): Need[] | undefined {
  const { verb, words, flags } = call;
  const targets = targetsOf(words);
  switch (verb) {
    case 'get':
    case 'describe': {
      const isWatching = flags.has('--watch') || flags.has('--watch-only');
      return targets?.flatMap((target) => readNeeds(call, target, isWatching));
    }
    case 'wait':
    case 'patch':
    case 'label':
    case 'annotate':
    case 'edit':
    case 'delete':
      return flags.has('--filename')
        ? undefined
        : targets?.flatMap(({ resource, name }) => (READS[verb] ?? []).map((each) => need(call, each, resource, name)));
    case 'create':
      return flags.has('--filename') || words[0] === undefined
        ? undefined
        : [need(call, 'create', words[0], undefined)];
    case 'scale':
      return targets?.flatMap(({ resource, name }) => [
        need(call, 'get', resource, name),
        need(call, 'get', resource, name, 'scale'),
        need(call, 'patch', resource, name, 'scale'),
      ]);
    default:
      return OTHER_NEEDS.get(verb)?.(call);
  }
}

function readNeeds(
  call: Call,
  { resource, name }: { resource: string; name?: string | undefined },
  isWatching: boolean,
): Need[] {
  if (isWatching) return [need(call, 'list', resource, name), need(call, 'watch', resource, name)];
  return [need(call, name === undefined ? 'list' : 'get', resource, name)];
}

function rolloutNeeds(call: Call): Need[] | undefined {
  const [what = '', ...rest] = call.words;
  const verbs = {
    status: ['get', 'list', 'watch'],
    restart: ['get', 'patch'],
    pause: ['get', 'patch'],
    resume: ['get', 'patch'],
    history: ['get'],
  }[what];
  return verbs === undefined
    ? undefined
    : targetsOf(rest)?.flatMap(({ resource, name }) => verbs.map((verb) => need(call, verb, resource, name)));
}

function logNeeds(call: Call): Need[] {
  const [first = ''] = call.words;
  const [resource, name] = first.includes('/') ? first.split('/') : ['pods', first];
  const isPod = ['pod', 'pods', 'po'].includes(resource ?? '');
  return [
    need(call, 'get', resource ?? 'pods', name),
    ...(isPod ? [] : [need(call, 'list', 'pods', undefined)]),
    need(call, 'get', 'pods', isPod ? name : undefined, 'log'),
  ];
}

interface Target {
  readonly resource: string;
  readonly name: string | undefined;
}

/** `TYPE[,TYPE] [NAME ...]` or `TYPE/NAME ...`. */
function targetsOf(words: readonly string[]): Target[] | undefined {
  const [first, ...names] = words;
  if (first === undefined || first.includes('$')) return undefined;
  if (first.includes('/'))
    return words.map((word) => ({
      resource: word.slice(0, word.indexOf('/')),
      name: word.slice(word.indexOf('/') + 1),
    }));
  return first
    .split(',')
    .flatMap((resource): Target[] =>
      names.length === 0 ? [{ resource, name: undefined }] : names.map((name) => ({ resource, name })),
    );
}

function need(
  { flags, command }: Call,
  verb: string,
  resource: string,
  name: string | undefined,
  subresource = '',
): Need {
  const namespace = flags.has('--all-namespaces') ? '' : flags.get('--namespace');
  const known =
    name === undefined || name.includes('$') || verb === 'list' || verb === 'watch' || verb === 'create' ? '' : name;
  return {
    verb,
    resource,
    subresource,
    name: known,
    command: short(command),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function short(command: string): string {
  const line = command.replace(/\s+/g, ' ').replace(SECRET_FLAGS, '$1=***');
  return line.length > 120 ? `${line.slice(0, 120)}...` : line;
}
