import type { JsonObject } from '../../src/model/json/index.js';

/** What a client saw. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty where the answer is no JSON object. */
  readonly body: JsonObject;
}

export interface RequestOptions {
  readonly method?: string;
  /** A text is sent as it is. */
  readonly body?: unknown;
  /** Empty for nobody. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request as a program sends it, and the whole answer. */
export async function sendRequest(
  address: string,
  { method = 'GET', body, token = '', headers = {} }: RequestOptions = {},
): Promise<HttpResponse> {
  const answer = await fetch(address, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: /^\s*\{[^]*\}\s*$/.test(text) && !text.includes('}\n{') ? (JSON.parse(text) as JsonObject) : {},
  };
}

export async function signIn(url: string, username: string, password: string): Promise<string> {
  const { body, text } = await sendRequest(`${url}/api/v1/session`, { method: 'POST', body: { username, password } });
  if (typeof body.token !== 'string') throw new Error(`no token: ${text}`);
  return body.token;
}
