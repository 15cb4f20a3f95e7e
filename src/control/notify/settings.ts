import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { labelSelectorOf, parseLabelSelector, type LabelSelector } from '../../model/kubernetes/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { BUILT_IN } from './built-in.js';
import { Expression } from './expression/expression.js';
import { readService } from './read-service.js';
import { Secrets } from './secrets.js';
import type { Service } from './service.js';
import { MessageTemplate } from './message-template.js';

export interface Condition {
  readonly when: Expression;
  readonly oncePer?: Expression;
  readonly send: readonly string[];
}

interface Subscription {
  readonly recipients: readonly string[];
  readonly triggers: readonly string[];
  readonly selector: LabelSelector;
}

/** The settings in `argocd-notifications-cm` and `argocd-notifications-secret`. */
export interface NotifySettings {
  readonly services: ReadonlyMap<string, Service>;
  readonly templates: ReadonlyMap<string, MessageTemplate>;
  readonly triggers: ReadonlyMap<string, readonly Condition[]>;
  readonly subscriptions: readonly Subscription[];
  readonly defaultTriggers: readonly string[];
  readonly serviceTriggers: ReadonlyMap<string, readonly string[]>;
  readonly context: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
  /** What cannot be used, one sentence each; the rest works. */
  readonly problems: readonly string[];
}

/** Reads both objects. An entry that is wrong is a problem of its own. */
export function readNotifySettings(data: ReadonlyMap<string, string>, secrets: Secrets): NotifySettings {
  const reader = new Reader(secrets);
  for (const [key, text] of [...BUILT_IN, ...data]) reader.read(key, text);
  return reader.settings();
}

class Reader {
  readonly #services = new Map<string, Service>();
  readonly #templates = new Map<string, MessageTemplate>();
  readonly #triggers = new Map<string, readonly Condition[]>();
  readonly #serviceTriggers = new Map<string, readonly string[]>();
  readonly #problems: string[] = [];
  #subscriptions: readonly Subscription[] = [];
  #defaultTriggers: readonly string[] = [];
  #context: Record<string, string> = {};

  constructor(private readonly secrets: Secrets) {}

  settings(): NotifySettings {
    return {
      services: this.#services,
      templates: this.#templates,
      triggers: this.#triggers,
      subscriptions: this.#subscriptions,
      defaultTriggers: this.#defaultTriggers,
      serviceTriggers: this.#serviceTriggers,
      context: this.#context,
      secrets: this.secrets,
      problems: this.#problems.map((problem) => this.secrets.scrub(problem)),
    };
  }

  read(key: string, text: string): void {
    try {
      this.#entry(key, text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#problems.push(`${key}: ${error.message}`);
    }
  }

  #entry(key: string, text: string): void {
    const [kind = '', ...rest] = key.split('.');
    const name = rest.join('.');
    const value = (): Json => readOneYaml(text, { dialect: 'kubernetes', file: key }) ?? null;
    switch (kind) {
      case 'template':
        this.#templates.set(name, MessageTemplate.parse(name, mapping(value())));
        break;
      case 'trigger':
        this.#triggers.set(name, conditionsOf(value()));
        break;
      case 'service':
        this.#service(rest, value());
        break;
      case 'defaultTriggers':
        if (name === '') this.#defaultTriggers = texts(value());
        else this.#serviceTriggers.set(name, texts(value()));
        break;
      case 'subscriptions':
        this.#subscriptions = list(value()).map(subscriptionOf);
        break;
      case 'context':
        this.#context = Object.fromEntries(
          Object.entries(mapping(value())).map(([each, inner]) => [each, scalar(inner)]),
        );
        break;
      // Other keys of the ConfigMap are ignored.
      default:
    }
  }

  #service([type = '', name = type, ...more]: readonly string[], value: Json): void {
    if (type === '' || more.length > 0) throw invalid("invalid service key; expected 'service.<type>(.<name>)'");
    this.#services.set(
      name,
      readService(
        type,
        this.secrets.fillIn(value, (missing) => {
          this.#problems.push(`service.${type}: argocd-notifications-secret has no key ${missing}`);
        }),
      ),
    );
  }
}

function invalid(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}

function mapping(value: Json): JsonObject {
  if (!isObject(value)) throw invalid('must be a mapping');
  return value;
}

function list(value: Json): Json[] {
  if (value === null) return [];
  if (!isArray(value)) throw invalid('must be a list');
  return value;
}

/** YAML reads an unquoted `true` or `1` as another type than string. */
function scalar(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw invalid('must be a string');
  return String(value);
}

function texts(value: Json): string[] {
  return list(value).map(scalar);
}

function conditionsOf(value: Json): Condition[] {
  return (isObject(value) ? [value] : list(value)).map((each) => {
    const entry = mapping(each);
    const [when, oncePer] = [scalar(own(entry, 'when')), scalar(own(entry, 'oncePer'))];
    return {
      when: Expression.parse(when === '' ? 'false' : when),
      ...(oncePer === '' ? {} : { oncePer: Expression.parse(oncePer) }),
      send: texts(own(entry, 'send') ?? null),
    };
  });
}

function subscriptionOf(value: Json): Subscription {
  const entry = mapping(value);
  const selector = own(entry, 'selector');
  return {
    recipients: texts(own(entry, 'recipients') ?? null),
    triggers: texts(own(entry, 'triggers') ?? null),
    selector: isObject(selector) ? labelSelectorOf(selector) : parseLabelSelector(scalar(selector)),
  };
}
