import type { ClusterFacts } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { ApplicationSetTemplates } from '../../render/index.js';

/** What a repository holds at one revision. */
export interface GitFact {
  /** In the order of a walk: a folder before what is in it. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What an operator decided about clusters; `matchKey` is the field of a decision that names one. */
export interface DecisionFact {
  readonly matchKey: string;
  readonly decisions: readonly JsonObject[];
}

/**
 * The world as far as generators may ask for it. Whoever cannot answer throws a Fault: an answer that is only half true
 * would delete Applications.
 */
export interface GenerateFacts {
  clusters(): readonly ClusterFacts[];
  git(repoURL: string, revision: string): Promise<GitFact>;
  decisions(generator: JsonObject): Promise<DecisionFact>;
  /** How `git.files` reads its patterns: as `git ls-files` does, where `*` crosses folders, or with `**` for that. */
  readonly filePatterns: 'pathspec' | 'doublestar';
  readonly templates: ApplicationSetTemplates;
}
