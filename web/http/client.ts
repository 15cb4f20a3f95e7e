/** An answer of the server that is no success, in its own words. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** An address with what is asked; what is undefined or empty is left out. */
export function address(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value as string | number | boolean])
      parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Who hears that a session has ended: the shell, which then asks to sign in. */
let onSignedOut: (() => void) | undefined;
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

async function request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new RequestError(0, 'No response from the server. Is it running?');
  });
  if (response.ok) return response;
  const refused = new RequestError(response.status, await responseMessage(response));
  if (response.status === 401 && path !== '/api/v1/session') onSignedOut?.();
  throw refused;
}

async function responseMessage(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error ?? text;
  } catch {
    return text.slice(0, 300) || `The server returned ${response.status}.`;
  }
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await (await request('GET', address(path, query), undefined, signal)).json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await request('POST', path, body, signal)).json()) as T;
}

export async function remove(path: string): Promise<void> {
  await request('DELETE', path);
}

/** A sentence for whatever went wrong. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
