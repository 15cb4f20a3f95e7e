import type { GoValue } from '../template/value/go-value.js';

/** What Chart.yaml says. */
export interface Metadata {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly Maintainer[];
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string> | undefined;
  readonly kubeVersion: string;
  /** Undefined where the chart declares none, which Helm tells apart from an empty list. */
  readonly dependencies: readonly Dependency[] | undefined;
  readonly type: string;
}

export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  readonly importValues: readonly GoValue[];
  readonly alias: string;
}
