import { isArray, isObject, objectIn, type JsonObject } from '../../model/json/index.js';
import type { WebSocket } from '../../net/web-socket/index.js';

/** A program to be started in a container that runs. */
export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

export interface ExecEnd {
  /** Of the program; undefined where it never ran, or the connection was lost. */
  readonly exitCode: number | undefined;
  /** What the server says of a failure; empty where all was well. */
  readonly message: string;
}

/** A program with a terminal, in a container. */
export interface ExecSession {
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Holds back what the program writes. */
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves when the program has ended or the connection is gone. */
  readonly ended: Promise<ExecEnd>;
}

/** As kube-apiserver calls the ways to carry several streams in one; the newest first. */
export const EXEC_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** The first byte of a message says which stream it belongs to. */
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4];

/** Bytes that a server may leave unread. */
const MAX_UNREAD_BYTES = 4 << 20;

export function execPath({ namespace, pod, container, command }: ExecTarget): string {
  const query = new URLSearchParams([
    ['container', container],
    ['stdin', 'true'],
    ['stdout', 'true'],
    ['tty', 'true'],
    ...command.map((word): [string, string] => ['command', word]),
  ]);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec?${query.toString()}`;
}

/**
 * Speaks the protocol of `pods/exec` over a socket that is open and holds back what comes. `take` gets what the program
 * writes.
 */
export function execSession(socket: WebSocket, take: (bytes: Buffer) => void): ExecSession {
  const send = (channel: number, bytes: Buffer): void => {
    // What a program does not read would be kept here for ever.
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  };
  let end: ExecEnd = { exitCode: undefined, message: 'the connection was lost' };
  // Messages are buffers by default.
  socket.on('message', (message: Buffer) => {
    const [channel, bytes] = [message[0], message.subarray(1)];
    if (channel === STDOUT || channel === STDERR) {
      // A real API server begins each stream with an empty frame, before there is a program.
      if (bytes.length > 0) take(bytes);
    } else if (channel === ERROR) end = endOf(bytes.toString('utf8'));
  });
  socket.on('error', (error) => {
    if (end.exitCode === undefined) end = { exitCode: undefined, message: error.message };
  });
  const ended = new Promise<ExecEnd>((resolve) => {
    socket.once('close', () => {
      resolve(end);
    });
  });
  socket.resume();
  return {
    write: (text) => {
      send(STDIN, Buffer.from(text));
    },
    resize: (columns, rows) => {
      send(RESIZE, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
    },
    pause: () => {
      socket.pause();
    },
    resume: () => {
      socket.resume();
    },
    close: () => {
      socket.close();
    },
    ended,
  };
}

/** A Status without its kind. */
function endOf(text: string): ExecEnd {
  const status = objectIn(text);
  if (status.status === 'Success') return { exitCode: 0, message: '' };
  const message = typeof status.message === 'string' ? status.message : 'the server does not say why it failed';
  const causes = isObject(status.details) && isArray(status.details.causes) ? status.details.causes : [];
  const code = causes.find((cause): cause is JsonObject => isObject(cause) && cause.reason === 'ExitCode')?.message;
  return { exitCode: typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : undefined, message };
}
