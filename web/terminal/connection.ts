import { address } from '../http/client';
import type { AppRef } from '../http/application-path';

/** Which container. */
export interface ContainerRef {
  readonly app: AppRef;
  readonly project: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface Listener {
  onText(text: string): void;
  /** Once: `reason` is empty where the shell ended by itself. */
  onEnd(reason: string): void;
}

/** A shell that somebody speaks with, as Argo CD's page does. */
export interface Connection {
  type(text: string): void;
  resize(columns: number, rows: number): void;
  close(): void;
}

export function connect({ app, project, namespace, pod, container }: ContainerRef, listener: Listener): Connection {
  const path = address('/terminal', {
    appName: app.name,
    appNamespace: app.namespace,
    projectName: project,
    namespace,
    pod,
    container,
  });
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`);
  let isOpen = false;
  const waiting: string[] = [];
  const send = (message: object): void => {
    const text = JSON.stringify(message);
    if (isOpen) socket.send(text);
    else waiting.push(text);
  };
  socket.addEventListener('open', () => {
    isOpen = true;
    for (const text of waiting) socket.send(text);
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { operation, data: text } = JSON.parse(data) as { operation?: string; data?: string };
    if (operation === 'stdout' && text !== undefined) listener.onText(text);
  });
  socket.addEventListener('close', ({ code, reason }) => {
    if (!isOpen)
      listener.onEnd('cannot open a terminal: the pod is not running, or you are not allowed to exec into it');
    else listener.onEnd(code === 1000 ? '' : reason || 'connection lost');
  });
  return {
    type: (data) => {
      send({ operation: 'stdin', data });
    },
    resize: (cols, rows) => {
      send({ operation: 'resize', cols, rows });
    },
    close: () => {
      socket.close();
    },
  };
}
