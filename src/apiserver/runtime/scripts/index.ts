/**
 * scripts: plays what containers of a simulated pod are told to run where all of it is waiting for the cluster: a
 * shell script of `kubectl get`, `kubectl wait` and the same of `oc`, with loops and tests. Nothing is executed: the
 * script is read, and the calls are answered from the store with the rights of the pod's account. Takes the words of a
 * container, gives a player, or undefined where something in them is not played.
 */
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { texts } from '../../resources/index.js';
import { readCall, type ClusterClient } from './cluster-client.js';
import { parseScript } from './parse-script.js';
import { PROGRAMS, runScript, type Play } from './run-script.js';
import { callsIn, ScriptError, type Command, type Word } from './syntax.js';

export { clusterClient, type ClusterClient } from './cluster-client.js';
export { ScriptError } from './syntax.js';
export type { Play } from './run-script.js';

/** The play of a container's command; its result is the exit code. */
export function playOf(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  { pod, client, now, log }: { pod: KubeObject; client: ClusterClient; now: () => Date; log: (line: string) => void },
): Play<number> | undefined {
  const script = scriptOf(words);
  if (script === undefined) return undefined;
  return runScript(script, { now, log, client: (call) => client.call(pod, call) }, env);
}

/** Undefined where it does not wait for the cluster, or has something that is not played. */
function scriptOf(words: readonly string[]): Command | undefined {
  try {
    const script = readWords(words);
    if (script === undefined) return undefined;
    const calls = callsIn(script).flatMap(({ words: own }) => (own[0] === undefined ? [] : [own]));
    const asks = calls.filter(([program]) => isClient(literal(program)));
    const isPlayed = calls.every((own) => {
      const program = literal(own[0]);
      return program !== undefined && (PROGRAMS.has(program) || isPlayedCall(own));
    });
    return isPlayed && asks.length > 0 ? script : undefined;
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}

function readWords(words: readonly string[]): Command | undefined {
  const [program = '', ...rest] = words;
  if (!/^(?:.*\/)?(?:ba|da|z|a)?sh$/.test(program))
    return { kind: 'call', sets: [], words: words.map((each) => [{ kind: 'text', text: each }]), silent: false };
  const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = flag < 0 ? undefined : rest[flag + 1];
  return script === undefined ? undefined : parseScript(script);
}

function literal(word: Word | undefined): string | undefined {
  return word?.every(({ kind }) => kind === 'text') === true
    ? word.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    : undefined;
}

function isClient(program: string | undefined): boolean {
  return /^(?:.*\/)?(?:kubectl|oc)$/.test(program ?? '');
}

/** A part that only the run knows may be any word, but no flag. */
function isPlayedCall(own: readonly Word[]): boolean {
  return isClient(literal(own[0])) && readCall(own.slice(1).map((word) => literal(word) ?? 'x')) !== undefined;
}

/** What a container runs: its command and arguments, with `$(NAME)` filled in. */
export function wordsOf(spec: Parameters<typeof texts>[0], fill: (text: string) => string): string[] {
  return [...texts(spec, 'command'), ...texts(spec, 'args')].map(fill);
}
