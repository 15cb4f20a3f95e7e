import { describe, expect, it } from 'vitest';
import { maskUrl, parseAddress } from './address.js';
import { makeScrub } from './scrub.js';
import { parseModules, submoduleAddress } from '../tree/submodules.js';

describe('addresses', () => {
  it.each([
    [
      'https://github.com/org/app.git',
      { protocol: 'https', url: 'https://github.com/org/app.git', host: 'github.com' },
    ],
    [
      'https://user:p%40ss@host:8443/app',
      { protocol: 'https', url: 'https://host:8443/app', host: 'host:8443', username: 'user', password: 'p@ss' },
    ],
    ['HTTPS://Host/App', { protocol: 'https', url: 'https://Host/App', host: 'Host' }],
    [
      'git@github.com:org/app.git',
      { protocol: 'ssh', url: 'git@github.com:org/app.git', host: 'github.com', username: 'git' },
    ],
    ['ssh://git@host:22/~/app', { protocol: 'ssh', url: 'ssh://git@host:22/~/app', host: 'host:22', username: 'git' }],
    [
      'git+ssh://git:secret@host/app',
      { protocol: 'ssh', url: 'ssh://git@host/app', host: 'host', username: 'git', password: 'secret' },
    ],
    ['git://host/app', { protocol: 'git', url: 'git://host/app', host: 'host' }],
    ['https://[::1]:8080/app', { protocol: 'https', url: 'https://[::1]:8080/app', host: '[::1]:8080' }],
    ['  https://host/app  ', { protocol: 'https', url: 'https://host/app', host: 'host' }],
  ])('reads %s', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  it.each([
    '',
    'app',
    '/srv/app',
    './app',
    '../app',
    'file:///srv/app',
    'C:\\app',
    'ext::sh -c id',
    'fd::7',
    'http::https://host/',
    'ftp://host/app',
    '-x',
    '--upload-pack=x',
    'ssh://-oProxyCommand=x/app',
    '-oProxyCommand=x:app',
    'ssh://host/-app',
    'git@host:-app',
    'https:///app',
    'https://ho st/app',
    'https://host/a\nb',
    'https://host/app?x=1',
    'https://host/app#x',
    'https://%zz@host/app',
    'https://us%0aer@host/app',
    'ssh://us;er@host/app',
    `https://host/${'a'.repeat(5000)}`,
    'https://host\\@evil/app',
    'https://-host/app',
  ])('refuses %j', (text) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'SOURCE_INVALID' }) as Error);
  });

  it('allows files only where they are allowed, and never with a host', () => {
    expect(parseAddress('file:///srv/app', ['file'])).toMatchObject({ url: 'file:///srv/app', protocol: 'file' });
    expect(() => parseAddress('file://host/srv/app', ['file'])).toThrow();
    expect(() => parseAddress('http://host/app', ['https'])).toThrow(/not allowed/);
  });
});

describe('what is shown', () => {
  it('never has users, passwords or queries', () => {
    expect(maskUrl('https://user:secret@host/app?token=secret')).toBe('https://***@host/app?***');
    expect(maskUrl('https://user:sec@ret@host/app')).toBe('https://***@host/app');
  });

  it('has secrets in no form in which they travel', () => {
    const scrub = makeScrub(['pa ss/w"ord', '-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----'], ['alice']);
    const forms = [
      'pa ss/w"ord',
      'pa%20ss%2Fw%22ord',
      Buffer.from('alice:pa ss/w"ord').toString('base64'),
      'pa ss/w\\"ord',
      'abcdefgh',
      'https://alice:pa%20ss@host/x',
    ];
    for (const form of forms) expect(scrub(`before ${form} after`)).not.toMatch(/pa ss|pa%20ss|abcdefgh|YWxpY2U/);
  });
});

describe('submodule addresses', () => {
  const parent = (url: string) => parseAddress(url, ['https', 'ssh', 'file']);
  it.each([
    ['../lib.git', 'https://host/org/app.git', 'https://host/org/lib.git'],
    ['./lib', 'https://host/org/app', 'https://host/org/app/lib'],
    ['../../other/lib', 'https://host/org/app', 'https://host/other/lib'],
    ['../lib', 'git@host:org/app', 'git@host:org/lib'],
    ['../lib', 'git@host:app', 'git@host:lib'],
    ['https://elsewhere/lib', 'https://host/org/app', 'https://elsewhere/lib'],
  ])('%s in %s is %s', (url, from, expected) => {
    expect(submoduleAddress(url, parent(from), ['https', 'ssh'], 'lib').url).toBe(expected);
  });

  it('never lead to files of this machine from elsewhere, nor above the server', () => {
    expect(() => submoduleAddress('file:///srv/lib', parent('https://host/app'), ['https', 'file'], 'lib')).toThrow(
      /not allowed/,
    );
    expect(() => submoduleAddress('../../../lib', parent('https://host/app'), ['https'], 'lib')).toThrow(
      /above the server/,
    );
  });

  it('are read from .gitmodules', () => {
    const text =
      '[submodule "a"]\n\tpath = libs/a\n\turl = ../a.git ; why\n\tbranch = main\n[submodule "b"]\n  ' +
      'url="https://host/b"\n  path="libs/b/"\n[core]\n\tpath = x\n';
    expect([...parseModules(text)]).toEqual([
      ['libs/a', '../a.git'],
      ['libs/b', 'https://host/b'],
    ]);
  });
});
