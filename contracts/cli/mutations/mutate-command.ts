import { Command, type Option } from 'commander';
import { addCommands } from '../../../src/cli/run-cli.js';
import { draw, drawOne } from '../../../world/fleet/index.js';
import { labWorld } from '../app-lab.js';

/** They run until they are stopped, talk to other servers, or start programs: their own suites try them. */
const LEFT_OUT = new Set(['up', 'apiserver', 'controller', 'serve', 'login', 'logout', 'account', 'completion']);
/** Flags that write or read all that they point to, or wait for as long as it takes. */
const LEFT_ALONE = new Set([
  '--fix',
  '--branch',
  '--watch',
  '--follow',
  '--kubeconfig',
  '--context',
  '--timeout',
  '--interval',
  '--apply',
  '--data',
  '--password-stdin',
  '--wait',
  '--filename',
  '--refresh',
  '--hard-refresh',
]);

const LONG = 'x'.repeat(20_000);
const VALUES = [
  '',
  ' ',
  '-',
  '--',
  '-1',
  '0',
  '1e999',
  'NaN',
  '0x10',
  '9'.repeat(40),
  'true',
  'null',
  'undefined',
  '[]',
  '{}',
  '{"a":',
  '"',
  "'",
  '\\',
  '\n',
  '\t',
  '\u0000',
  '\u001b[31mred',
  '\u202etxt',
  '😀',
  'ü',
  '__proto__',
  'constructor',
  'toString',
  '../../../etc/passwd',
  '/nonexistent/file',
  '/dev/null',
  '/',
  '.',
  '*',
  '**',
  '?',
  '[',
  '(a+)+$',
  '/(/',
  '%s%n',
  '${jndi}',
  '$(id)',
  '`id`',
  ';ls',
  '|',
  '&',
  '<x>',
  'a=b=c',
  '=',
  '=b',
  'a=',
  'a,b,,c',
  ',',
  ':',
  '::',
  'a:b:c:d',
  '!:',
  'http://',
  'https://user:secret@x/y',
  'file:///nonexistent',
  'git@x:y',
  'a/b/c',
  '/a',
  'a/',
  'A'.repeat(300),
  LONG,
  'cart',
  'argocd/cart',
  'no/such',
  'default',
  '2026-99-99T00:00:00Z',
  '1h',
  '-1h',
  '1x',
  'HEAD',
  'main',
] as const;

interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}

function leaves(command: Command, words: readonly string[] = []): Leaf[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return below.length === 0 ? [{ words, command }] : below.flatMap((each) => leaves(each, [...words, each.name()]));
}

const program = new Command('argosy');
addCommands(program, labWorld({}), { code: 0, failure: 20 });
const COMMANDS = leaves(program).filter(({ words }) => !LEFT_OUT.has(words[0] ?? ''));

/** One command line that somebody could have typed, wrong at one place or several. The same number gives the same. */
export function mutateCommand(seed: number, trial: number): readonly string[] {
  const chance = (what: string): number => draw(seed, String(trial), what);
  const value = (what: string): string =>
    drawOne(VALUES as unknown as readonly [string, ...string[]], seed, String(trial), what);
  const { words, command } = COMMANDS[Math.floor(chance('command') * COMMANDS.length)] ?? {
    words: [],
    command: program,
  };
  const given = command.registeredArguments.flatMap(({ required }, at) =>
    required || chance(`argument ${at}`) < 0.5 ? [chance(`plain ${at}`) < 0.6 ? 'cart' : value(`value ${at}`)] : [],
  );
  const options = command.options.filter(({ long, hidden }) => !hidden && !LEFT_ALONE.has(long ?? ''));
  const flags = options
    .filter((_, at) => chance(`flag ${at}`) < 2.5 / (options.length + 1))
    .flatMap((option, at) => typed(option, value(`flag value ${at}`), chance(`form ${at}`)));
  const stray = chance('stray') < 0.1 ? [`--${value('stray flag')}`] : [];
  const dropped = chance('dropped') < 0.1 ? given.slice(1) : given;
  return [
    ...words,
    ...dropped,
    ...flags,
    ...stray,
    ...(command.options.some(({ long }) => long === '--timeout') ? ['--timeout', '1'] : []),
  ];
}

function typed({ long, short, required, optional, argChoices }: Option, value: string, form: number): string[] {
  const name = form < 0.2 && short !== undefined ? short : (long ?? short ?? '');
  if (!required && !optional) return [form < 0.7 ? name : `${name}=${form < 0.85 ? 'false' : value}`];
  const chosen =
    argChoices !== undefined && form < 0.6 ? (argChoices[Math.floor(form * 10) % argChoices.length] ?? value) : value;
  if (form > 0.95) return [name];
  return form > 0.6 ? [`${name}=${chosen}`] : [name, chosen];
}
