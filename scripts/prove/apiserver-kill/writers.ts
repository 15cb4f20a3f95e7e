import { isObject, parseJson, writeJson, type Json } from '../../../src/model/json/index.js';
import type { Random } from '../../../src/apiserver/store/testing/random.js';
import type { Answer, Call, Connection } from '../../../contracts/apiserver/connection.js';
import type { ConsistencyChecker } from './consistency-checker.js';
import { member, RESOURCES, readObjectState, textFor, word, type Resource, type ObjectState } from './resource.js';

interface Request {
  readonly resource: Resource;
  readonly key: string;
  readonly call: Call;
  /** The marker that it leaves; undefined for a deletion. */
  readonly by: string | undefined;
  readonly replaces?: number;
}

/** What an operation has at hand: the object it is about, as a client last saw it, and the marker it must leave. */
interface WriteOrder {
  readonly resource: Resource;
  readonly name: string;
  readonly known: ObjectState | undefined;
  readonly by: string;
}

/** Few enough that writers meet each other's objects, many enough that most requests succeed. */
const NAMES = 60;

type Operation = (order: WriteOrder) => Request | undefined;

const json = (method: string, path: string, body: Json | undefined, type = 'application/json'): Call => ({
  method,
  path,
  headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': type }) },
  body: body === undefined ? undefined : writeJson(body),
});

const content = (by: string): Json => ({ by, text: textFor(by) });

const whole = ({ resource, name, by }: WriteOrder, resourceVersion?: string): Json => ({
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  [resource.field]: content(by),
});

const about = ({ resource, name }: WriteOrder): { resource: Resource; key: string } => ({
  resource,
  key: `${resource.plural}/${name}`,
});
const pathOf = ({ resource, name }: WriteOrder): string => `${resource.path}/${name}`;

export const applied: Operation = (order) => ({
  ...about(order),
  by: order.by,
  call: json('PATCH', `${pathOf(order)}?fieldManager=applier&force=true`, whole(order), 'application/apply-patch+yaml'),
});

const OPERATIONS: readonly Operation[] = [
  (order) => ({ ...about(order), by: order.by, call: json('POST', order.resource.path, whole(order)) }),
  (order) =>
    order.known && {
      ...about(order),
      by: order.by,
      replaces: order.known.revision,
      call: json('PUT', pathOf(order), whole(order, String(order.known.revision))),
    },
  (order) =>
    order.resource.mayReplaceBlindly
      ? { ...about(order), by: order.by, call: json('PUT', pathOf(order), whole(order)) }
      : undefined,
  (order) =>
    order.known && {
      ...about(order),
      by: order.by,
      call: json('PATCH', pathOf(order), { [order.resource.field]: content(order.by) }, 'application/merge-patch+json'),
    },
  (order) =>
    order.known && {
      ...about(order),
      by: order.by,
      call: json(
        'PATCH',
        pathOf(order),
        [{ op: 'replace', path: `/${order.resource.field}`, value: content(order.by) }],
        'application/json-patch+json',
      ),
    },
  applied,
  (order) => order.known && { ...about(order), by: undefined, call: json('DELETE', pathOf(order), undefined) },
  (order) =>
    order.known && {
      ...about(order),
      by: undefined,
      call: json('DELETE', pathOf(order), {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: order.known.uid, resourceVersion: String(order.known.revision) },
      }),
    },
];

export interface Writing {
  readonly connection: Connection;
  readonly checker: ConsistencyChecker;
  /** The newest state of each object that an answer showed; all writers share it. */
  readonly known: Map<string, ObjectState>;
  /** Called after each acknowledged write. */
  readonly onAcknowledged: () => void;
}

/** Writes until the connection breaks; says how it broke. What was then under way is in the ledger as unanswered. */
export async function writeUntilCut(writing: Writing, who: string, random: Random): Promise<Error> {
  for (let serial = 0; ; serial++) {
    const resource = random.pick(RESOURCES);
    const name = `n-${random.integer(NAMES)}`;
    const order = { resource, name, by: `${who}/${serial}`, known: writing.known.get(`${resource.plural}/${name}`) };
    const request = random.pick(OPERATIONS)(order);
    if (request === undefined) continue;
    try {
      await send(request, writing);
    } catch (error) {
      if (error instanceof WrongAnswer || !(error instanceof Error)) throw error;
      writing.checker.unanswered({ key: request.key, by: request.by });
      return error;
    }
  }
}

/** The server did what it never may: no kill explains this. */
class WrongAnswer extends Error {}

/**
 * Sends a request and enters its answer into the ledger. Refusals that a race between writers explains change nothing.
 */
export async function send(request: Request, { connection, checker, known, onAcknowledged }: Writing): Promise<void> {
  const answer = await connection.send(request.call);
  if (answer.code === 404 || answer.code === 409) {
    if (answer.code === 404) known.delete(request.key);
    return;
  }
  const body = readAnswer(answer, request);
  if (request.by === undefined) {
    const uid = word(member(isObject(body) ? body : {}, 'details'), 'uid');
    if (uid === '')
      throw new WrongAnswer(
        `${request.call.method} ${request.call.path} answered without details.uid: ${answer.text.slice(0, 400)}`,
      );
    checker.acknowledgeDeletion(request.key, uid);
    if (known.get(request.key)?.uid === uid) known.delete(request.key);
  } else {
    const shown = readObjectState(request.resource, body);
    if (shown.by !== request.by || shown.text !== textFor(shown.by))
      throw new WrongAnswer(`${request.call.method} ${request.call.path} of ${request.by} answered with ${shown.by}`);
    checker.acknowledge(shown, request.replaces);
    if ((known.get(request.key)?.revision ?? 0) < shown.revision) known.set(request.key, shown);
  }
  onAcknowledged();
}

/** An answer that the kill cut in the middle counts as none. */
function readAnswer(answer: Answer, { call }: Request): Json {
  if (answer.code !== 200 && answer.code !== 201)
    throw new WrongAnswer(`${call.method} ${call.path} answered ${answer.code}: ${answer.text.slice(0, 400)}`);
  return parseJson(answer.text);
}
