import { ApiError } from '../errors/index.js';
import type { Clock, LocalClient, ResourceName, WatchedObject } from '../rest/index.js';
import type { WorkClass } from './fair-queue.js';
import { createWorkQueue } from './work-queue.js';
import { workName } from '../../net/containment/index.js';
import type { Logger } from '../../model/logging/index.js';

/** What a controller works with. */
export interface ControllerHost {
  readonly client: LocalClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A loop that brings the world closer to what objects say. */
export interface Controller {
  /** As the real component calls itself in Events and managedFields: `deployment-controller`. */
  readonly name: string;
  start(host: ControllerHost): { close(): void };
}

/** `namespace/name`, or the name alone for cluster scope. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export interface ReconcilerWatch {
  readonly of: ResourceName;
  keys(event: WatchedObject, host: ControllerHost): Iterable<ObjectName>;
  /** It is a kind that not every cluster serves: watched as soon as this one does. */
  readonly whenServed?: boolean;
}

export interface ReconcilerParts {
  readonly name: string;
  readonly workClass?: WorkClass;
  /** What to watch, and which keys a change concerns. */
  readonly watches: readonly ReconcilerWatch[];
  /** Brings one object up to date; a number asks to be called again after that many milliseconds. */
  reconcile(key: ObjectName, host: ControllerHost): Promise<number | void>;
}

/** A controller of the common shape: watches feed keys into one queue, and each key is reconciled alone. */
export function reconciler({ name, workClass, watches, reconcile }: ReconcilerParts): Controller {
  return {
    name,
    start(host) {
      const queue = createWorkQueue(
        host.clock,
        async (text) => {
          const again = await reconcile(parseName(text), host);
          if (typeof again === 'number') queue.addAfter(text, again);
        },
        (text, error) => {
          // Conflicts and objects that went away meanwhile are everyday; the retry reads the new state.
          if (!(error instanceof ApiError)) host.log.error(`${name}: ${text}`, { error });
        },
        { workClass, ...(watches[0] === undefined ? {} : { objectOf: namesOf(host.client, watches[0].of) }) },
      );
      const watch = ({ of, keys }: ReconcilerWatch): { close(): void } =>
        host.client.watch(of, (event) => {
          for (const key of keys(event, host)) queue.add(nameText(key));
        });
      const late = watches.filter(({ whenServed = false }) => whenServed);
      const watching = watches.filter((each) => !late.includes(each)).map(watch);
      if (late.length > 0) watching.push(watchWhenServed(late, watch, host));
      return {
        close() {
          for (const each of watching) each.close();
          void queue.close();
        },
      };
    },
  };
}

/** Watches that begin when their kind is served, and anew when it comes back. */
function watchWhenServed(
  late: readonly ReconcilerWatch[],
  watch: (one: ReconcilerWatch) => { close(): void },
  { client }: ControllerHost,
): { close(): void } {
  const running = new Map<ReconcilerWatch, { close(): void }>();
  const resources = client.onResources(({ group, plural }) => {
    for (const one of late) {
      if (one.of.group !== group || one.of.plural !== plural) continue;
      running.get(one)?.close();
      running.set(one, watch(one));
    }
  });
  return {
    close() {
      resources.close();
      for (const each of running.values()) each.close();
    },
  };
}

/** The changed object itself. */
export function ownKey({ object }: WatchedObject): ObjectName[] {
  return [{ namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' }];
}

/** The object's controller of one kind, now and before the change. */
export function controllerOfKind(kind: string): (event: WatchedObject) => ObjectName[] {
  return ({ object, previous }) =>
    [object, previous].flatMap((each) => {
      const owner = each?.metadata.ownerReferences?.find(
        (reference) => reference.controller === true && reference.kind === kind,
      );
      return owner === undefined ? [] : [{ namespace: each?.metadata.namespace ?? '', name: owner.name }];
    });
}

/** How containment names the objects of a kind; undefined where there is none of a key. */
export function namesOf(client: LocalClient, of: ResourceName): (key: string) => string | undefined {
  return (key) => {
    const { namespace, name } = parseName(key);
    try {
      const object = client.get(of, namespace, name);
      return object && workName(of, object);
    } catch {
      // A kind that is not served has no objects.
      return undefined;
    }
  };
}

function nameText({ namespace, name }: ObjectName): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function parseName(text: string): ObjectName {
  const slash = text.indexOf('/');
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
