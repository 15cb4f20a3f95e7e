import type { Json, JsonObject } from '../../model/json/index.js';
import { isObject, parseJson } from '../../model/json/index.js';
import { WireError } from '../../model/protobuf/index.js';
import { ApiError, readBody, type Answer, type BodyShare } from '../http/index.js';
import type { RpcCall } from './call.js';
import { messageFrame, readMessages } from './frames.js';
import { KeptFrames } from './kept-frames.js';
import type { RpcMethod } from './methods.js';
import { readMessage } from './read-message.js';
import { toRequest, toStream, type RoutedRequest } from './to-request.js';
import { writeMessage } from './write-message.js';

/** Reads what a call asks, as the request of the route that it is. */
export async function readCall(call: RpcCall, method: RpcMethod, share?: BodyShare): Promise<RoutedRequest> {
  const limit = method.first.route.bodyLimit;
  const body = await readBody(call.body, limit, share);
  const messages = await readMessages(body, String(call.headers['grpc-encoding'] ?? ''), limit);
  const [first] = messages;
  const isStream = method.row.clientStreams === true;
  if (first === undefined) throw new ApiError('Internal', 'the call has no message');
  if (messages.length > 1 && !isStream) throw new ApiError('Internal', 'the call has more than one message');
  try {
    if (!isStream) return toRequest(method, readMessage(first, method.row.in));
    return toStream(
      method,
      messages.map((message) => readMessage(message, method.row.in)),
    );
  } catch (error) {
    if (error instanceof WireError)
      throw new ApiError('Internal', `grpc: error unmarshalling request: ${error.message}`, { cause: error });
    throw error;
  }
}

const kept = new Map<string, KeptFrames>();

function framesOf({ row }: RpcMethod): KeptFrames {
  const known = kept.get(row.out) ?? new KeptFrames();
  kept.set(row.out, known);
  return known;
}

/** Sends the answer of a route as messages, until it ends or the signal aborts. How the call ends is not said here. */
export async function sendCall(answer: Answer, call: RpcCall, method: RpcMethod, signal: AbortSignal): Promise<void> {
  const frameOf = (value: Json): Buffer => messageFrame(writeMessage(isObject(value) ? value : {}, method.row.out));
  const write = (value: Json): boolean => call.send(frameOf(value));
  switch (answer.kind) {
    case 'json':
      write(answer.value as JsonObject);
      break;
    case 'bytes':
      write(parseJson(answer.bytes.toString()));
      break;
    case 'stream':
      call.begin();
      await answer.feed({
        signal,
        send: (text) => call.send(framesOf(method).of(text, () => frameOf(parseJson(text)))),
        drained: () => call.drained(signal),
      });
      break;
    default:
      throw new ApiError('Unimplemented', `${method.path} has no answer in messages`);
  }
}
