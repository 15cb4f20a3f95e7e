import type { HttpResponse } from '../harness/send-request.js';
import type { AccessLab } from './access-lab.js';

/**
 * As much of a browser as a login needs: it keeps cookies for each host, follows redirects and sends the form of a
 * provider.
 */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(private readonly lab: AccessLab) {}

  cookies(): string {
    return [...(this.#cookies.get(new URL(this.lab.url).host) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  async open(
    address: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ readonly url: string; readonly status: number; readonly text: string; readonly location: string }> {
    const url = new URL(address, this.lab.url);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const answer = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    keepCookies(jar, answer.headers);
    return {
      url: url.href,
      status: answer.status,
      text: await answer.text(),
      location: answer.headers.get('location') ?? '',
    };
  }

  /** From our login page to the provider, through its form, up to the address that it sends back to. */
  async logIn(start: string, username: string, password: string): Promise<string> {
    const left = await this.open(start);
    return this.fillIn(left.location, username, password);
  }

  async fillIn(address: string, username: string, password: string): Promise<string> {
    const page = await this.open(address);
    const action = /action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`no form at ${page.url}: ${page.status} ${page.text}`);
    return (await this.open(action.replaceAll('&amp;', '&'), { username, password })).location;
  }

  /** Keeps what the answer sets, as a browser does. */
  async request(path: string): Promise<HttpResponse> {
    const answer = await this.lab.request(path, { headers: { cookie: this.cookies() } });
    const { host } = new URL(this.lab.url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    keepCookies(jar, answer.headers);
    return answer;
  }
}

function keepCookies(jar: Map<string, string>, headers: Headers): void {
  for (const header of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (/max-age=0/i.test(header)) jar.delete(name);
    else jar.set(name, value);
  }
}
