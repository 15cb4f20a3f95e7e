import { isObject, own, type JsonObject } from '../../model/json/index.js';
import { TextTemplate } from '../../render/index.js';
import type { Message } from './service.js';

/** Clock and chance for the functions of templates. */
export type TemplateHost = Parameters<TextTemplate['fill']>[1];

interface WebhookTemplate {
  readonly method: string;
  readonly path: TextTemplate;
  readonly body: TextTemplate;
}

/** The webhook part of a template for every service that it does not name. */
const ANY_SERVICE = '*';

type SlackPart = 'username' | 'icon' | 'attachments' | 'blocks';
const SLACK_PARTS: readonly SlackPart[] = ['username', 'icon', 'attachments', 'blocks'];

/** One `template.<name>`: the text, and the parts for specific services. Parts for other services are ignored. */
export class MessageTemplate {
  private constructor(
    private readonly text: TextTemplate | undefined,
    private readonly webhooks: ReadonlyMap<string, WebhookTemplate>,
    private readonly slack: ReadonlyMap<SlackPart, TextTemplate> | undefined,
  ) {}

  static parse(name: string, template: JsonObject): MessageTemplate {
    const part = (object: JsonObject, key: string): TextTemplate => {
      const value = own(object, key) ?? '';
      return TextTemplate.parse(name, typeof value === 'string' ? value : JSON.stringify(value));
    };
    const webhooks = own(template, 'webhook');
    const slack = own(template, 'slack');
    return new MessageTemplate(
      own(template, 'message') === undefined ? undefined : part(template, 'message'),
      new Map(
        isObject(webhooks)
          ? Object.keys(webhooks).flatMap((service) => {
              const one = own(webhooks, service);
              const method = isObject(one) ? own(one, 'method') : undefined;
              return isObject(one)
                ? [
                    [
                      service,
                      {
                        method: typeof method === 'string' ? method : '',
                        path: part(one, 'path'),
                        body: part(one, 'body'),
                      },
                    ] as const,
                  ]
                : [];
            })
          : [],
      ),
      isObject(slack) ? new Map(SLACK_PARTS.map((key) => [key, part(slack, key)])) : undefined,
    );
  }

  /** What this template adds to a message for one service; what it does not speak of stays. */
  fill(before: Message, service: string, data: JsonObject, host: TemplateHost): Message {
    const webhook = this.webhooks.get(service) ?? this.webhooks.get(ANY_SERVICE);
    const { slack } = this;
    const filled = (key: SlackPart): string => slack?.get(key)?.fill(data, host) ?? '';
    return {
      ...before,
      ...(this.text === undefined ? {} : { text: this.text.fill(data, host) }),
      ...(webhook === undefined
        ? {}
        : {
            webhook: {
              method: webhook.method,
              path: webhook.path.fill(data, host),
              body: webhook.body.fill(data, host),
            },
          }),
      ...(slack === undefined
        ? {}
        : {
            slack: {
              username: filled('username'),
              icon: filled('icon'),
              attachments: filled('attachments'),
              blocks: filled('blocks'),
            },
          }),
    };
  }
}
