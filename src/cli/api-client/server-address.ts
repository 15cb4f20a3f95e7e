import { Fault } from '../../model/faults/index.js';

/**
 * The address of a server as people name it: with or without `http://`. Without, this machine is asked plainly and
 * others over TLS.
 */
export function serverAddress(text: string, isPlain: boolean): string {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const url = parsed(hasScheme ? text : `https://${text}`);
  if (
    url === undefined ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new Fault(
      'VALUE_INVALID',
      `${JSON.stringify(text.slice(0, 200))} is not a server address, such as argocd.example.com or localhost:8080`,
      { where: 'SERVER' },
    );
  }
  const isNear = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) || url.hostname.endsWith('.localhost');
  if (url.protocol === 'http:' && !isNear && !isPlain)
    throw new Fault('VALUE_INVALID', 'the password would be sent unencrypted: use https, or --plaintext', {
      where: 'SERVER',
    });
  const scheme = isPlain || (!hasScheme && isNear) ? 'http' : url.protocol.slice(0, -1);
  return `${scheme}://${url.host}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Told by the caller.
    return undefined;
  }
}
