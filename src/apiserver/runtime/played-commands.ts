import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, textAt, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import type { ExecListener, ExecRequest, RunningCommand } from './runtime.js';

/**
 * What programs of a simulated container answer. Whoever plays a server says it in this annotation of its pod, a JSON
 * object with a list by container name:
 *
 *     argosy.dev/exec: '{"vault": [{"command": ["vault", "status"], "stdout": "Sealed true\n", "exitCode": 2}]}'
 *
 * The first entry that fits answers. A word may be a text, `*` for any, or `{secret, key}` for what a Secret of the
 * namespace has there (any text where there is no such Secret); `input` is such a word for the standard input.
 * `annotations` are then written to the pod, which is how a command changes something.
 */
const EXEC = 'argosy.dev/exec';

const PODS = { group: '', plural: 'pods' };
const SECRETS = { group: '', plural: 'secrets' };
const NOT_FOUND = 127;

export type PlayedCommands = (
  pod: KubeObject,
  container: string,
) => ((request: ExecRequest, listener: ExecListener) => RunningCommand) | undefined;

/** Undefined where nothing is said of the container. */
export function playedCommands(client: LocalClient): PlayedCommands {
  return (pod, container) => {
    const entries = entriesOf(pod, container);
    if (entries.length === 0) return undefined;
    return (request, listener) => {
      const fitting = entries.filter((entry) => fitsCommand(client, pod, entry, request.command));
      if (!fitting.some((entry) => own(entry, 'input') !== undefined)) {
        void answer(client, pod, fitting[0], request, listener);
        return NO_INPUT;
      }
      return readLine((line) => {
        const chosen = fitting.find((entry) => fitsWord(client, pod, own(entry, 'input') ?? '*', line));
        void answer(client, pod, chosen, request, listener);
      });
    };
  };
}

const NO_INPUT: RunningCommand = {
  write: () => undefined,
  endInput: () => undefined,
  resize: () => undefined,
  kill: () => undefined,
};

/** Waits for one line of the standard input. */
function readLine(then: (line: string) => void): RunningCommand {
  let text = '';
  let done = false;
  const end = (): void => {
    if (done) return;
    done = true;
    then(text.split('\n')[0]?.trim() ?? '');
  };
  return {
    ...NO_INPUT,
    write: (bytes) => {
      text += bytes.toString('utf8');
      if (text.includes('\n')) end();
    },
    endInput: end,
    kill: () => {
      done = true;
    },
  };
}

function entriesOf(pod: KubeObject, container: string): JsonObject[] {
  const annotation = pod.metadata.annotations?.[EXEC];
  if (annotation === undefined) return [];
  try {
    const value = parseJson(annotation);
    const entries = isObject(value) ? own(value, container) : undefined;
    return isArray(entries) ? entries.filter(isObject) : [];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

function fitsCommand(client: LocalClient, pod: KubeObject, entry: JsonObject, command: readonly string[]): boolean {
  const words = own(entry, 'command');
  return (
    isArray(words) &&
    words.length === command.length &&
    words.every((word, index) => fitsWord(client, pod, word, command[index] ?? ''))
  );
}

function fitsWord(client: LocalClient, pod: KubeObject, word: Json, given: string): boolean {
  if (!isObject(word)) return word === '*' || word === given;
  const secret = client.get(SECRETS, pod.metadata.namespace ?? '', textAt(word, 'secret'));
  if (secret === undefined) return given !== '';
  return textAt(secret, 'data', textAt(word, 'key')) === Buffer.from(given, 'utf8').toString('base64');
}

async function answer(
  client: LocalClient,
  pod: KubeObject,
  entry: JsonObject | undefined,
  { command }: ExecRequest,
  listener: ExecListener,
): Promise<void> {
  if (entry === undefined) {
    const known = `${JSON.stringify(command.join(' '))} is not among the commands that are played in this container`;
    listener.out('stderr', Buffer.from(`${known} (annotation ${EXEC} of the pod): nothing runs in it\n`));
    listener.ended({ exitCode: NOT_FOUND });
    return;
  }
  const annotations = own(entry, 'annotations');
  try {
    const { namespace = '', name = '' } = pod.metadata;
    if (isObject(annotations)) await client.mergePatch(PODS, namespace, name, { metadata: { annotations } });
  } catch (error) {
    listener.ended({ exitCode: 1, error: error instanceof Error ? error.message : String(error) });
    return;
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = textAt(entry, stream);
    if (text !== '') listener.out(stream, Buffer.from(text));
  }
  listener.ended({ exitCode: typeof entry.exitCode === 'number' ? entry.exitCode : 0 });
}
