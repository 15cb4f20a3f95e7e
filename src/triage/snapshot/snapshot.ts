import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** An event of a component about an object. */
export interface EventFact {
  /** The object it is about; the group is empty if the event does not have it. */
  readonly about: Key;
  readonly uid: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly count: number;
  /** When it was last seen, in milliseconds; undefined if unknown. */
  readonly time: number | undefined;
}

/** The end of what a container wrote. */
export interface LogFact {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Of the run before the present one. */
  readonly previous: boolean;
  readonly lines: readonly string[];
}

/** Something that was measured over time, such as a counter of Prometheus. */
export interface SeriesFact {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** In order of time, in milliseconds. */
  readonly samples: readonly Sample[];
}

export type Sample = readonly [time: number, value: number];

/** An alert that fires. */
export interface AlertFact {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly since: number | undefined;
}

/** A service of a node's operating system, as systemd shows it. */
export interface HostServiceFact {
  readonly node: string;
  /** Such as `kubelet.service`. */
  readonly unit: string;
  /** `active`, `inactive`, `failed`, `activating`. */
  readonly state: string;
  /** The words of systemd about the state. */
  readonly says: string;
  readonly since: number | undefined;
  /** The end of its journal. */
  readonly lines: readonly string[];
}

/** How far a kind is known in a namespace: absence is proof only where the list was complete. */
export type Listing = 'complete' | 'forbidden' | 'missing' | 'partial' | 'unlisted';

export interface ListingFact {
  readonly group: string;
  readonly kind: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  readonly listing: Listing;
  /** What the server or the file returned. */
  readonly because: string;
}

/** What was there at one moment. Values of Secrets are never part of it. */
export interface Snapshot {
  /** Milliseconds since 1970: the only clock of triage. */
  readonly time: number;
  readonly objects: readonly KubeObject[];
  readonly events: readonly EventFact[];
  readonly logs: readonly LogFact[];
  readonly listings: readonly ListingFact[];
  /** Only of what rules ask for. */
  readonly series?: readonly SeriesFact[];
  readonly alerts?: readonly AlertFact[];
  readonly hostServices?: readonly HostServiceFact[];
  /** What could not be read, in plain words. */
  readonly problems: readonly string[];
  /**
   * Something that belongs to it is lost: a file was cut off, a kind may not be read. That nothing was found is then no
   * all-clear.
   */
  readonly isPartial?: boolean;
}
