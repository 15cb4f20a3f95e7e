import type { DirectorySettings } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';

/** What a render lacks. `control` fetches it through `source` and renders again. */
export type Need =
  | {
      readonly kind: 'file';
      readonly repository: string;
      readonly commit: string;
      readonly path: string;
      readonly id: string;
    }
  | {
      readonly kind: 'submodule';
      readonly repository: string;
      readonly commit: string;
      readonly path: string;
      readonly id: string;
    }
  | { readonly kind: 'chart'; readonly repository: string; readonly name: string; readonly version: string }
  | { readonly kind: 'base'; readonly address: string }
  /** A values file on the network. */
  | { readonly kind: 'values'; readonly address: string }
  /** What the program jsonnet gives for a file; variables are filled in already. */
  | {
      readonly kind: 'jsonnet';
      readonly repository: string;
      readonly commit: string;
      readonly path: string;
      readonly settings: DirectorySettings['jsonnet'];
    }
  /** What a config management plugin prints for a folder. */
  | {
      readonly kind: 'plugin';
      readonly repository: string;
      readonly commit: string;
      readonly path: string;
      readonly plugin: JsonObject;
      readonly environment: Readonly<Record<string, string>>;
      readonly kubeVersion: string;
      readonly apiVersions: readonly string[];
    };

/** Ends a render that cannot go on before something is fetched; the top of every render turns it into its outcome. */
export class NeedsContent extends Error {
  readonly needs: readonly Need[];

  constructor(needs: readonly Need[]) {
    super(`${needs.length} things have to be fetched first`);
    this.name = 'NeedsContent';
    this.needs = needs;
  }
}

/** One line that is equal for equal needs; also the key under which fetched charts and bases are handed in. */
export function needKey(need: Need): string {
  switch (need.kind) {
    case 'file':
    case 'jsonnet':
    case 'plugin':
    case 'submodule':
      return `${need.kind} ${need.repository} ${need.commit} ${need.path}`;
    case 'chart':
      return `chart ${need.repository} ${need.name} ${need.version}`;
    case 'base':
    case 'values':
      return `${need.kind} ${need.address}`;
    default:
      return need satisfies never;
  }
}
