import { EMPTY_CONFIG, mergeConfigs, type TransformerConfig } from '../config/transformer-config.js';
import { ResMap } from '../resource/res-map.js';
import { addVars, type VarSet } from './vars.js';

/** What a kustomization has gathered: objects, the fields that transformers know, and vars. */
export class Accumulator {
  readonly resources = new ResMap();
  config: TransformerConfig = EMPTY_CONFIG;
  vars: VarSet = new Map();

  absorb(other: Accumulator): void {
    this.resources.appendAll(other.resources.resources);
    this.config = mergeConfigs(this.config, other.config);
    this.vars = addVars(this.vars, other.vars.values());
  }
}
