import type { Root, Sign } from './label.js';
import type { Scene } from './scene.js';

/** What an injector says of what it did. */
export interface Injection {
  readonly roots: readonly Root[];
  /** What can be seen when its consequences have come; the first is the nearest to the root. */
  readonly signs: readonly Sign[];
  /** Applications that it makes suffer. */
  readonly applications: readonly string[];
}

/** Puts one fault into a platform, at the place where it would really be. */
export interface Injector {
  readonly name: string;
  readonly because: string;
  readonly kind?: 'cycle' | 'silent';
  /** Takes part of the platform away that others need, so it is not put together with them. */
  readonly isBroad?: boolean;
  /** Folders of `world/controllers` that do nothing in this world: their operator does not run. */
  readonly resting?: readonly string[];
  inject(scene: Scene): Injection;
}
