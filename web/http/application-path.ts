import { address, type Query } from './client';

/** Which application, as its routes want it: the name in the path, the namespace beside it. */
export interface AppRef {
  readonly namespace: string;
  readonly name: string;
}

/** A path below an application and what is asked of it. */
export function appPath({ name }: AppRef, rest = ''): string {
  return `/api/v1/applications/${encodeURIComponent(name)}${rest}`;
}

export function appQuery({ namespace }: AppRef, more: Query = {}): Query {
  return { appNamespace: namespace, ...more };
}

export function appAddress(app: AppRef, rest: string, more: Query = {}): string {
  return address(appPath(app, rest), appQuery(app, more));
}
