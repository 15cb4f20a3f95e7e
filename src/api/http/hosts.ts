const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a request names this server. Otherwise a page of a stranger could reach it under the stranger's own name
 * (DNS rebinding). Names of loopback, the address that it listens on, and those that the settings give.
 */
export function isOurHost(header: string | undefined, known: Iterable<string>): boolean {
  if (header === undefined || header.length > 300) return false;
  const host = hostName(header);
  if (host === undefined) return false;
  if (LOOPBACK.includes(host) || host.endsWith('.localhost')) return true;
  for (const each of known) if (hostName(each) === host) return true;
  return false;
}

/** Without the port; undefined for what is no host at all. */
function hostName(text: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(text.trim());
  return match?.[1]?.toLowerCase().replace(/\.$/, '');
}

/** The host of an address of the settings, such as `https://argocd.example.com`. */
export function hostOfUrl(url: string): string | undefined {
  try {
    return new URL(url).host;
  } catch {
    // An address that nobody can read names nobody.
    return undefined;
  }
}
