/**
 * The form by which Argo CD compares addresses of repositories, and patterns of such addresses: small letters, no
 * `.git`, `git@host:path` as `git@host/path`.
 */
export function normalizeUrl(text: string): string {
  let url = text.trim().toLowerCase();
  const isSsh = /^(ssh:\/\/)?([^/:]*?)@[^@]+$/.test(url);
  if (isSsh && !url.startsWith('ssh://')) url = `ssh://${url.replace(':', '/')}`;
  return escapePath(url.replace(/\.git$/, '')).replace(/^ssh:\/\//, '');
}

/**
 * As Go's net/url writes a path: one character that it does not let through, such as `{`, has all others escaped too.
 */
function escapePath(url: string): string {
  const [, head = '', path = '', tail = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(.*)$/s.exec(url) ?? [];
  if (/^[\w.~!$&'()*+,;=:@[\]%/-]*$/.test(path)) return url;
  return (
    head +
    path.replace(/[^\w.~$&+,;=:@%/-]/gu, (character) =>
      encodeURIComponent(character).replace(/[!'()*]/, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    ) +
    tail
  );
}
