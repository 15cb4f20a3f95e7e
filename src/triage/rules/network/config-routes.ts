import { type JsonObject, objectAt, objectsAt, own } from '../../../model/json/index.js';
import { MAX_TEXT_LENGTH, textAt, textsAt, wordOf } from '../../json/index.js';

/** A route of a gateway or proxy as a file of its configuration has it. */
export interface ConfigRoute {
  /** Its name or path, as people find it in the file. */
  readonly text: string;
  /** Words of its name and of its paths, in small letters without anything between them. */
  readonly words: readonly string[];
  readonly nameWords: readonly string[];
  readonly pathWords: readonly string[];
  /** Its paths as they are written. */
  readonly paths: readonly string[];
  readonly host: string;
  readonly port: number | undefined;
  /** A name of a registry that balances the load by itself, and no host. */
  readonly isRegistered: boolean;
}

/** Where a route begins: an item of a list in YAML or an object in JSON. */
const BLOCK =
  /(?:^[ \t]*-[ \t]+(?:\{ *)?["']?|\{\s*["'])(?=(?:id|name|ur[il]|order|paths?|prefix|match|predicates)\b["']? *:)/m;
/** `spring.cloud.gateway.routes[0].uri=...`, and the same as a variable. */
const PROPERTY =
  /(?<![a-z0-9])routes?[[_.](\d{1,6})[\]_.]{1,2}(id|uri|predicates)(?:[[_.]\S{0,80}?)?[ \t]*[=:][ \t]*(.*)$/i;
const TARGET = new RegExp(
  `\\b(?:uri|url|upstream|backend|target|destination|proxy)["']?[ \\t]*[:=][ \\t]*["']?` +
    '(?:(https?|wss?|grpcs?|h2c|lb(?::wss?)?)://)?([a-z0-9][\\w.-]*)(?::(\\d{2,5}))?(?=[/"\'\\s]|$)',
  'i',
);
const NAME = /\b(?:id|name)["']?[ \t]*:[ \t]*["']?([\w./-]+)/;
const PATHS = /(?:[Pp]aths?|[Pp]refix|[Pp]redicates|[Pp]attern|match|_genkey_0)\b.*/g;
const NGINX = /location\s+(?:[=~^*]+\s+)?(\S+)\s*\{[^{}]*?proxy_pass\s+https?:\/\/([a-z0-9][\w.-]*)(?::(\d{2,5}))?/gi;
const CADDY =
  /^[ \t]*(?:handle|handle_path|reverse_proxy)[ \t]+(\/\S*)[ \t]+(?:https?:\/\/)?([a-z][\w.-]*)(?::(\d{2,5}))?\s*$/gim;
/** Parts of paths that say nothing of a service. */
const PLAIN_PARTS = /^(?:api|v\d+|rest|public|internal|\*+|\{.*\}|\d*)$/i;

/** The routes in a file: of Spring Cloud Gateway and others that list them in YAML, of nginx and of Caddy. */
export function routesIn(file: string): ConfigRoute[] {
  const listed = [...file.split(BLOCK).slice(1), ...propertyBlocks(file)].flatMap((block) => {
    const [, scheme = '', host = '', port] = TARGET.exec(block) ?? [];
    const paths = [...block.matchAll(PATHS)].flatMap(([line]) =>
      [...line.matchAll(/\/[\w*{}./-]+/g)].map(([each]) => each),
    );
    const name = NAME.exec(block)?.[1] ?? '';
    if (host === '' || (scheme === '' && port === undefined) || (paths.length === 0 && name === '')) return [];
    return [routeOf({ name, paths }, host, port, scheme.startsWith('lb'))];
  });
  const written = [...file.matchAll(NGINX), ...file.matchAll(CADDY)].map(([, path = '', host = '', port]) =>
    routeOf({ name: '', paths: [path] }, host, port, false),
  );
  return [...listed, ...written];
}

/** Properties of the same route, as a block of YAML would have them. */
function propertyBlocks(file: string): string[] {
  const blocks = new Map<string, string>();
  for (const line of file.split('\n')) {
    const [, index, key = '', value = ''] = PROPERTY.exec(line.slice(0, MAX_TEXT_LENGTH)) ?? [];
    if (index !== undefined) blocks.set(index, `${blocks.get(index) ?? ''}${key.toLowerCase()}: ${value}\n`);
  }
  return [...blocks.values()];
}

function routeOf(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  host: string,
  port: string | undefined,
  isRegistered: boolean,
): ConfigRoute {
  const [nameWords, pathWords] = [wordsIn([name]), wordsIn(paths)];
  return {
    text: name === '' ? (paths[0] ?? '') : name,
    words: [...new Set([...nameWords, ...pathWords])],
    nameWords,
    pathWords,
    paths,
    host: host.toLowerCase(),
    port: port === undefined ? undefined : Number(port),
    isRegistered,
  };
}

function wordsIn(names: readonly string[]): string[] {
  const parts = names.flatMap((name) => name.split('/')).filter((part) => part !== '' && !PLAIN_PARTS.test(part));
  return [...new Set(parts.map(plain))];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** What of these names is left without the parts that most of them share, such as a prefix of the team. */
export function distinctParts(names: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const name of names) for (const part of new Set(name.split('-'))) counts.set(part, (counts.get(part) ?? 0) + 1);
  const isShared = (part: string): boolean => names.length > 2 && (counts.get(part) ?? 0) * 2 > names.length;
  return new Map(
    names.map((name) => {
      const rest = name.split('-').filter((part) => !isShared(part));
      return [name, plain(rest.join('')) || plain(name)];
    }),
  );
}

/** How alike words of a route and the name of a Service are, from 0 to 1. */
export function likeness(words: readonly string[], name: string, core: string): number {
  return Math.max(0, ...words.flatMap((word) => [alike(word, plain(name)), alike(without(word, name, core), core)]));
}

/** A word of a path may carry the part that all Services share, such as `orderservice`. */
function without(word: string, name: string, core: string): string {
  const shared = name.split('-').filter((part) => !core.includes(part));
  return shared.reduce((rest, part) => (rest.length > part.length ? rest.replace(part, '') : rest), word);
}

function alike(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length > 2 && (long.startsWith(short) || long.endsWith(short)) ? short.length / long.length : 0;
}

/** Routes in the variables and arguments of a container: properties one by one, or whole files. */
export function routeSettings(container: JsonObject, path: string): (readonly [field: string, text: string])[] {
  const variables = objectsAt(container, 'env').map((each) => [textAt(each, 'name'), textAt(each, 'value')] as const);
  const words = [...textsAt(container, 'command'), ...textsAt(container, 'args')];
  const properties = [
    ...variables.map(([name, value]) => `${name}=${value}`),
    ...[...words, ...variables.map(([, value]) => value)].flatMap((text) => text.split(/\s/)),
  ].filter((line) => PROPERTY.test(line));
  const files = variables.flatMap(([, value], index) =>
    value.includes('routes') && /[\n{]/.test(value) ? [[`${path}.env[${index}].value`, value] as const] : [],
  );
  return properties.length === 0 ? files : [[`${path}.env`, properties.join('\n')], ...files];
}

/** The files of a ConfigMap that may have routes. */
export function routeFiles(object: Parameters<typeof objectAt>[0]): (readonly [string, string])[] {
  const data = objectAt(object, 'data') ?? {};
  const variables = Object.keys(data).filter((key) => PROPERTY.test(`${key}=`));
  if (variables.length > 0)
    return [[variables[0] ?? '', variables.map((key) => `${key}=${wordOf(own(data, key))}`).join('\n')]];
  return Object.keys(data)
    .sort()
    .flatMap((key) => {
      const text = own(data, key);
      return typeof text === 'string' && /routes|proxy_pass|reverse_proxy/.test(text) ? [[key, text] as const] : [];
    });
}
