import { isObject, parseJson, writeJson, type JsonObject } from '../../model/json/index.js';
import { errorCode, HttpClient, splitUrl } from '../../net/http/index.js';
import type { Message, Service, SlackService, WebhookService } from './service.js';

export interface OutgoingMessage {
  readonly recipient: string;
  readonly message: Message;
  /** The same for every attempt at the same message. */
  readonly id: string;
}

/** `why` never holds an address, a header or an answer: all of them may hold secrets. */
export type SendResult =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly why: string; readonly isHopeless: boolean };

const TIMEOUT = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Sends over HTTP; keeps connections until it is closed. */
export class Sender {
  readonly #verifying = new HttpClient({ within: TIMEOUT, connectWithin: TIMEOUT });
  readonly #unverifying = new HttpClient({
    within: TIMEOUT,
    connectWithin: TIMEOUT,
    tls: { rejectUnauthorized: false },
  });

  async send(service: Service, letter: OutgoingMessage): Promise<SendResult> {
    try {
      return await (service.kind === 'slack' ? this.#slack(service, letter) : this.#webhook(service, letter));
    } catch (error) {
      return { isDone: false, why: `the receiver is unreachable${reasonOf(error)}`, isHopeless: false };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#verifying.destroy(), this.#unverifying.destroy()]);
  }

  async #webhook(service: WebhookService, { message, id }: OutgoingMessage): Promise<SendResult> {
    const { method, path, body } = message.webhook ?? { method: '', path: '', body: message.text };
    const url = path === '' ? service.url : `${service.url.replace(/(?<!\/)\/+$/, '')}/${path.replace(/^\/+/, '')}`;
    const given = service.headers.map(({ name, value }) => [name.toLowerCase(), value] as const);
    const auth =
      service.basicAuth === undefined
        ? []
        : [
            [
              'authorization',
              `Basic ${Buffer.from(`${service.basicAuth.username}:${service.basicAuth.password}`).toString('base64')}`,
            ] as const,
          ];
    const type = /^\s*[{[]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8';
    const headers = Object.fromEntries([['content-type', type], ['idempotency-key', id], ...given, ...auth]);
    // Argo CD uses GET by default.
    const { status } = await this.#call(service, url, {
      method: method === '' ? 'GET' : method.toUpperCase(),
      headers,
      body,
    });
    return status >= 200 && status <= 299
      ? { isDone: true }
      : { isDone: false, why: `the receiver responded with ${status}`, isHopeless: isPermanentFailure(status) };
  }

  async #slack(service: SlackService, { recipient, message }: OutgoingMessage): Promise<SendResult> {
    const body = slackBody(service, recipient, message);
    if (body === undefined)
      return { isDone: false, why: 'attachments or blocks of the template are not a JSON list', isHopeless: true };
    const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${service.token}` };
    const { status, answer } = await this.#call(
      service,
      `${service.apiUrl.replace(/(?<!\/)\/+$/, '')}/chat.postMessage`,
      { method: 'POST', headers, body: writeJson(body) },
    );
    if (status < 200 || status > 299)
      return { isDone: false, why: `Slack responded with ${status}`, isHopeless: isPermanentFailure(status) };
    const parsed = tryParseJson(answer);
    if (isObject(parsed) && parsed.ok === true) return { isDone: true };
    const error =
      isObject(parsed) && typeof parsed.error === 'string' && /^[a-z_]{1,60}$/.test(parsed.error)
        ? parsed.error
        : 'no error in the response';
    return { isDone: false, why: `Slack rejected the message: ${error}`, isHopeless: error !== 'ratelimited' };
  }

  async #call(
    service: Service,
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body: string },
  ): Promise<{ status: number; answer: string }> {
    const client = service.skipsVerification ? this.#unverifying : this.#verifying;
    const response = await client.exchange(
      { ...splitUrl(url), method, headers, body },
      { maxBytes: MAX_RESPONSE_BYTES, whenLarger: 'cut' },
    );
    return { status: response.status, answer: response.body.toString() };
  }
}

/** The request is rejected: a retry will not help until the settings are corrected. */
function isPermanentFailure(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

function slackBody(service: SlackService, channel: string, { text, slack }: Message): JsonObject | undefined {
  const [attachments, blocks] = [listOf(slack?.attachments ?? ''), listOf(slack?.blocks ?? '')];
  if (attachments === undefined || blocks === undefined) return undefined;
  const [username, icon] = [slack?.username || service.username, slack?.icon || service.icon];
  return {
    channel,
    text,
    ...(username === '' ? {} : { username }),
    ...(/^:.+:$/.test(icon) ? { icon_emoji: icon } : {}),
    ...(/^https?:\/\//.test(icon) ? { icon_url: icon } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(service.disablesUnfurl ? { unfurl_links: false, unfurl_media: false } : {}),
  };
}

function listOf(text: string): JsonObject[] | undefined {
  if (text.trim() === '') return [];
  const value = tryParseJson(text);
  return Array.isArray(value) ? value.filter(isObject) : undefined;
}

function tryParseJson(text: string): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(text);
  } catch {
    // The caller says what the text should have been.
    return undefined;
  }
}

/** Codes such as `ECONNREFUSED` are enough; full messages contain addresses. */
function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? (error instanceof Error ? error.name : '');
  return /^[A-Za-z_]{2,40}$/.test(code) ? ` (${code})` : '';
}
