import { Fault, type FaultCode } from '../../model/faults/index.js';
import { maskUrl } from '../common/index.js';
import type { GitResult } from './run-git.js';

/** What git's own words mean, first match wins. */
const MEANINGS: readonly { readonly words: RegExp; readonly code: FaultCode; readonly say: string }[] = [
  {
    words: /transport '.*' not allowed/,
    code: 'SOURCE_INVALID',
    say: 'the server leads to a transport that is not allowed',
  },
  {
    words: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/,
    code: 'SOURCE_REFUSED',
    say: 'the host key of the server is not known; add it to argocd-ssh-known-hosts-cm',
  },
  {
    words: /Load key .*(invalid format|error in libcrypto)|Permission denied \(|Too many authentication failures/i,
    code: 'SOURCE_REFUSED',
    say: 'the server does not take the ssh key',
  },
  {
    words: /could not read (Username|Password)|terminal prompts disabled/,
    code: 'SOURCE_REFUSED',
    say: 'the server asks for credentials, and none are known for it',
  },
  {
    words: /Authentication failed|HTTP Basic: Access denied|returned error: 40[13]|Access denied|not authorized/i,
    code: 'SOURCE_REFUSED',
    say: 'the server does not take the credentials',
  },
  {
    words: /returned error: 407|Proxy Authentication/i,
    code: 'SOURCE_REFUSED',
    say: 'the proxy does not take the credentials',
  },
  {
    words: anyOf(
      /server certificate verification failed|SSL certificate problem/,
      /certificate verify failed|self.signed certificate/,
    ),
    code: 'SOURCE_REFUSED',
    say: 'the certificate of the server is not trusted; add it to argocd-tls-certs-cm',
  },
  {
    words:
      /alert (bad certificate|certificate required|handshake failure|unknown ca)|could not load (PEM )?client cert/i,
    code: 'SOURCE_REFUSED',
    say: 'the server does not take the client certificate',
  },
  {
    words: /unable to update url base from redirection|returned error: 30\d|Maximum \(0\) redirects/,
    code: 'SOURCE_REFUSED',
    say: 'the server leads elsewhere, where these credentials are not sent; use the address that it leads to',
  },
  {
    words: /couldn't find remote ref|not our ref|unadvertised object|no such remote ref|remote error: want/i,
    code: 'REVISION_UNKNOWN',
    say: 'the server does not have that commit',
  },
  {
    words: anyOf(
      /not found|does not appear to be a git repository|does not exist|No such file/,
      /repository .* not exported|access denied or repository|returned error: 404/,
    ),
    code: 'SOURCE_REFUSED',
    say: 'the repository is not there, or these credentials may not see it',
  },
  {
    words: /detected dubious ownership/,
    code: 'SOURCE_REFUSED',
    say: 'the folder of the repository belongs to another user',
  },
  {
    words: anyOf(
      /not valid: is this a git repository|invalid (index-pack|object|packet)/,
      /bad (object|pack|line length|tree)|corrupt|inflate|unresolved deltas/,
      /protocol error|expected .* received|mismatched algorithms/,
    ),
    code: 'SOURCE_INVALID',
    say: 'what the server sends is no git repository or is broken',
  },
];

/** Turns a failed git call into a fault with the address, without secrets and without paths of this machine. */
export function gitFault(
  result: GitResult,
  url: string,
  limits: { readonly milliseconds: number; readonly bytes: string },
): Fault {
  const where = maskUrl(url);
  if (result.end === 'time')
    return new Fault(
      'SOURCE_UNREACHABLE',
      `the server was not done after ${Math.round(limits.milliseconds / 1000)} s`,
      { where },
    );
  if (result.end === 'bytes')
    return new Fault('SOURCE_TOO_LARGE', `the repository sends more than ${limits.bytes}`, { where });
  if (result.end === 'absent')
    return new Fault('SOURCE_UNREACHABLE', 'the git program cannot be started; install git, or correct PATH', {
      where,
    });
  if (result.end === 'stopped') return new Fault('SOURCE_UNREACHABLE', 'the program is ending', { where });
  const said = firstErrorLine(result.stderr);
  const meaning = MEANINGS.find(({ words }) => words.test(inShortLines(result.stderr)));
  const quoted = said === '' ? '' : ` (git: ${said})`;
  if (meaning !== undefined) return new Fault(meaning.code, `${meaning.say}${quoted}`, { where });
  return new Fault('SOURCE_UNREACHABLE', `no usable answer from the server${quoted}`, { where });
}

/** The line that says most; paths of this machine go. */
function firstErrorLine(complaint: string): string {
  const lines = complaint
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(warning|hint):/i.test(line));
  const line =
    lines.find((text) => /^(fatal|error|remote error|ERROR|Permission denied|Host key)/.test(text)) ??
    lines.at(-1) ??
    '';
  return [...line]
    .map((char) => (char < ' ' || char === '\u007f' ? ' ' : char))
    .join('')
    .slice(0, 300);
}

const MAX_LINE_LENGTH = 1_000;

/** The server writes some of it: patterns that look twice at a line get short ones. */
function inShortLines(complaint: string): string {
  return complaint
    .split('\n')
    .map((line) => line.slice(0, MAX_LINE_LENGTH))
    .join('\n');
}

const DAMAGED = anyOf(
  /not a git repository|object file .* is empty|packfile .* (cannot be|does not match|is far too short)/,
  /loose object .* is corrupt|unable to (read|parse) (tree|object)|bad (object|config)/,
  /did not send all necessary objects|inflate: data stream error|index file .* is too small|cannot lock ref/,
);

/** Whether the mirror itself is damaged, so that a new one helps. */
export function isDamaged(complaint: string): boolean {
  return DAMAGED.test(inShortLines(complaint));
}

/** One pattern for several, in upper or lower case. */
function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}
