import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { Service, SlackService, WebhookService } from './service.js';

const KINDS = ['webhook', 'slack'];

/** A service as `service.<type>.<name>` describes it. The other types of Argo CD are refused by name. */
export function readService(type: string, options: Json): Service {
  if (!KINDS.includes(type))
    throw new Fault(
      'VALUE_INVALID',
      `services of the type ${JSON.stringify(type)} are not supported: use ${KINDS.join(' or ')}; most ` +
        'chats accept a webhook',
    );
  const given = isObject(options) ? options : {};
  return type === 'slack' ? readSlack(given) : readWebhook(given);
}

function text(options: JsonObject, name: string): string {
  const value = own(options, name) ?? '';
  if (typeof value === 'object') throw new Fault('VALUE_INVALID', `${name} must be a string`);
  return String(value);
}

function address(options: JsonObject, name: string, otherwise?: string): string {
  const url = text(options, name) || (otherwise ?? '');
  // The value may be a secret: it is not printed.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Fault('VALUE_INVALID', `${name} must be a URL that begins with http:// or https://`);
  return url;
}

function readWebhook(options: JsonObject): WebhookService {
  const headers = own(options, 'headers') ?? [];
  const auth = own(options, 'basicAuth');
  if (!isArray(headers)) throw new Fault('VALUE_INVALID', 'headers must be a list of name and value');
  return {
    kind: 'webhook',
    url: address(options, 'url'),
    headers: headers
      .filter(isObject)
      .map((header) => ({ name: text(header, 'name'), value: text(header, 'value') }))
      .filter(({ name }) => name !== ''),
    ...(isObject(auth) ? { basicAuth: { username: text(auth, 'username'), password: text(auth, 'password') } } : {}),
    skipsVerification: own(options, 'insecureSkipVerify') === true,
  };
}

function readSlack(options: JsonObject): SlackService {
  const token = text(options, 'token');
  if (token === '') throw new Fault('VALUE_INVALID', 'token is missing');
  return {
    kind: 'slack',
    apiUrl: address(options, 'apiURL', 'https://slack.com/api/'),
    token,
    username: text(options, 'username'),
    icon: text(options, 'icon'),
    skipsVerification: own(options, 'insecureSkipVerify') === true,
    disablesUnfurl: own(options, 'disableUnfurl') === true,
  };
}
