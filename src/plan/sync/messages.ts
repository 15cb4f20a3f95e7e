import type { Task } from './task.js';

/** What the waiting is for, in Argo CD's words. */
export type Reason = 'progress' | 'deletion' | 'confirmation';

/** `waiting for healthy state of apps/Deployment/web and 2 more resources`; a hook is named first. */
export function waitingFor(tasks: readonly Task[], reason: Reason): string {
  const first = tasks.find((task) => task.isHook && reason !== 'confirmation') ?? tasks[0];
  if (first === undefined) return '';
  const what = {
    progress: first.isHook ? 'completion of hook' : 'healthy state of',
    deletion: first.isHook ? 'deletion of hook' : 'deletion of',
    confirmation: 'pruning confirmation of',
  }[reason];
  const { group, kind, name } = first.key;
  const more =
    tasks.length > 1
      ? ` and ${tasks.length - 1} more ${tasks.every((task) => task.isHook) ? 'hooks' : 'resources'}`
      : '';
  return `waiting for ${what} ${group}/${kind}/${name}${more}`;
}

/** `<what>, reason: <each different message once>`. */
export function withReasons(what: string, messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 0 ? what : `${what}, reason: ${different.join(',')}`;
}

export function isImmutable(message: string): boolean {
  return (
    message.includes('field is immutable') ||
    message
      .split('\n')
      .some((line) => line.lastIndexOf(' are forbidden') > line.indexOf('updates to ') && line.includes('updates to '))
  );
}

/** The server's words and both ways out, for a field that cannot be changed. */
export function withRemedies(message: string): string {
  if (!isImmutable(message) || message.includes(RECREATE)) return message;
  return (
    `${message}. The field cannot be changed on the live object. To recreate the object, annotate it with ` +
    `${RECREATE}; ` +
    ('to keep the live value, name the field in ignoreDifferences of the Application and add ' +
      'RespectIgnoreDifferences=true to its sync options')
  );
}

const RECREATE = 'argocd.argoproj.io/sync-options: Force=true,Replace=true';
