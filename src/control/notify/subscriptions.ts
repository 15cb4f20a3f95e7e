import { compareText } from '../../model/go/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import { matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Destination } from './service.js';
import type { NotifySettings } from './settings.js';

const SUBSCRIBE = 'notifications.argoproj.io/subscribe.';
const SUBSCRIPTIONS = 'notifications.argoproj.io/subscriptions';

/** Who hears of an application, by trigger: by the settings, by its own annotations and by those of its project. */
export function destinationsOf(
  application: KubeObject,
  project: KubeObject | undefined,
  settings: NotifySettings,
): ReadonlyMap<string, readonly Destination[]> {
  const found = new Destinations(settings);
  for (const { recipients, triggers, selector } of settings.subscriptions) {
    if (!matchesLabels(selector, application.metadata.labels ?? {})) continue;
    for (const recipient of recipients) {
      const [service = '', to = ''] = recipient.split(':');
      found.add(triggers.length > 0 ? triggers : settings.defaultTriggers, { service, recipient: to });
    }
  }
  for (const object of [application, project]) found.annotated(object?.metadata.annotations ?? {});
  return found.byTrigger;
}

class Destinations {
  readonly byTrigger = new Map<string, Destination[]>();

  constructor(private readonly settings: NotifySettings) {}

  add(triggers: readonly string[], to: Destination): void {
    for (const trigger of triggers) {
      const known = this.byTrigger.get(trigger) ?? [];
      this.byTrigger.set(trigger, known);
      if (!known.some(({ service, recipient }) => service === to.service && recipient === to.recipient)) known.push(to);
    }
  }

  annotated(annotations: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(annotations).sort(([a], [b]) => compareText(a, b))) {
      if (key.startsWith(SUBSCRIBE)) this.#short(key.slice(SUBSCRIBE.length).split('.'), value);
      else if (key.startsWith(SUBSCRIPTIONS)) this.#long(value);
    }
  }

  /** `subscribe.<trigger>.<service>: a;b`, or `subscribe.<service>` for the triggers that count by default. */
  #short(parts: readonly string[], value: string): void {
    const [trigger, service] = parts.length >= 2 ? [parts[0] ?? '', parts[1] ?? ''] : ['', parts[0] ?? ''];
    const recipients =
      value === ''
        ? ['']
        : value
            .split(';')
            .map((each) => each.trim())
            .filter((each) => each !== '');
    for (const recipient of recipients) this.add(this.#triggers(trigger, service), { service, recipient });
  }

  /** `subscriptions`: a list of triggers and destinations. */
  #long(value: string): void {
    for (const entry of items(yaml(value))) {
      if (!isObject(entry)) continue;
      const triggers = items(own(entry, 'trigger')).map(String);
      for (const destination of items(own(entry, 'destinations')).filter(isObject)) {
        const service = String(own(destination, 'service') ?? '');
        for (const recipient of items(own(destination, 'recipients')).map(String))
          this.add(triggers.length > 0 ? triggers : this.#triggers('', service), { service, recipient });
      }
    }
  }

  #triggers(trigger: string, service: string): readonly string[] {
    return trigger === '' ? (this.settings.serviceTriggers.get(service) ?? this.settings.defaultTriggers) : [trigger];
  }
}

function items(value: Json | undefined): Json[] {
  return isArray(value ?? null) ? (value as Json[]) : [];
}

/** Annotations are untrusted: an invalid one subscribes nobody. */
function yaml(text: string): Json {
  try {
    return readOneYaml(text, { dialect: 'kubernetes', file: SUBSCRIPTIONS });
  } catch {
    return null;
  }
}
