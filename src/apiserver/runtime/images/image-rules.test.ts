import { describe, expect, it } from 'vitest';
import { readImageRules } from './image-rules.js';

describe('image rules', () => {
  it.each([
    ['{}', 'rules are a list'],
    ['[ghcr.io]', 'rule 1 is not a map'],
    [
      '[{registry: a}, {registy: b}]',
      'rule 2: registy is not known; known are registry, repository, tag, answer, tags, imageStreams, credentials',
    ],
    ['[{tag: 1.2}]', 'rule 1: tag is 1.2, not text; quote numbers'],
    ['[{tags: [1.2]}]', 'rule 1: tags are a list of texts; quote numbers'],
    [
      '[{answer: maybe}]',
      'rule 1: answer "maybe" is not known; known are notFound, denied, unauthorized, wrongCredentials, ' +
        'basicAuth, forbidden, rateLimited, serverError, noSuchHost, unreachable, refused, noRoute, untrusted, notTls',
    ],
    ['[{credentials: yes please}]', 'rule 1: credentials are true, or a map from user to password'],
  ])('%s is refused', (text, message) => {
    expect(() => readImageRules(text, 'rules.yaml')).toThrow(message);
  });
});
