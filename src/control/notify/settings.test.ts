import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.js';
import { readNotifySettings } from './settings.js';

const read = (
  data: Record<string, string>,
  secrets: Record<string, string> = {},
): ReturnType<typeof readNotifySettings> =>
  readNotifySettings(new Map(Object.entries(data)), new Secrets(new Map(Object.entries(secrets))));

describe('settings of notifications', () => {
  it('have defaults', () => {
    const { problems, triggers, templates } = read({});
    expect(problems).toEqual([]);
    expect([...triggers.keys()]).toContain('on-recovered');
    for (const conditions of triggers.values())
      for (const { send } of conditions) for (const name of send) expect(templates.has(name)).toBe(true);
  });

  it('have secrets filled in, and name the missing ones', () => {
    const { services, problems } = read(
      {
        'service.webhook.pager':
          'url: https://$host/hook\nheaders:\n- name: Authorization\n  value: Bearer $token\nbasicAuth:\n  ' +
          'username: me\n  password: $absent\n',
        'service.slack': 'token: $token\n',
      },
      { host: 'pager.example.com', token: 'very-secret' },
    );
    expect(services.get('pager')).toMatchObject({
      url: 'https://pager.example.com/hook',
      headers: [{ name: 'Authorization', value: 'Bearer very-secret' }],
      basicAuth: { username: 'me', password: '$absent' },
    });
    expect(services.get('slack')).toMatchObject({ token: 'very-secret', apiUrl: 'https://slack.com/api/' });
    expect(problems).toEqual(['service.webhook: argocd-notifications-secret has no key absent']);
  });

  it.each([
    [
      'service.email',
      'host: x\n',
      'service.email: services of the type "email" are not supported: use webhook or slack; most chats ' +
        'accept a webhook',
    ],
    [
      'service.webhook.a.b',
      'url: http://x\n',
      "service.webhook.a.b: invalid service key; expected 'service.<type>(.<name>)'",
    ],
    [
      'service.webhook.a',
      'url: ftp://secret-value\n',
      'service.webhook.a: url must be a URL that begins with http:// or https://',
    ],
    ['service.slack', '{}', 'service.slack: token is missing'],
    ['trigger.a', '- when: app.status ==\n', 'trigger.a: unexpected end at 14'],
    ['trigger.a', 'text', 'trigger.a: must be a list'],
    ['template.a', 'message: "{{"\n', 'template.a: parse error at (a:1): unclosed action'],
    ['template.a', '- no\n', 'template.a: must be a mapping'],
    ['subscriptions', '- recipients: {}\n', 'subscriptions: must be a list'],
    ['subscriptions', '- {recipients: [a], selector: "a in (b"}\n', 'subscriptions: '],
    ['defaultTriggers', 'on-failed', 'defaultTriggers: must be a list'],
    ['context', '- a\n', 'context: must be a mapping'],
  ])('name what is wrong with %s: %s', (key, text, problem) => {
    const { problems, triggers } = read({ [key]: text, 'trigger.good': '- when: "true"\n  send: [app-created]\n' });
    expect(problems.join()).toContain(problem);
    expect(problems).toHaveLength(1);
    expect(triggers.has('good')).toBe(true);
  });

  it('repeat no secret', () => {
    const { problems } = read(
      { 'service.webhook.a': 'url: $token\n', 'template.a': 'message: "{{ very-secret }}"\n' },
      { token: 'very-secret' },
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('very-secret');
  });
});
