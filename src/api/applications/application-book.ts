import type { FrontDesk } from '../../control/index.js';
import type { KubeObject } from '../../model/index.js';
import { rbacNameOf } from '../access/find-application.js';
import { ApplicationTexts } from './application-text.js';
import { byName } from './application-filter.js';

type May = (resource: 'applications', action: string, object: string) => boolean;

/** All applications in the order in which lists show them, and their texts. Sorted again only when some came or went. */
export class ApplicationBook {
  readonly texts = new ApplicationTexts();
  readonly #desk: FrontDesk;
  #sorted: readonly KubeObject[] | undefined;
  readonly #stop: readonly (() => void)[];

  constructor(desk: FrontDesk) {
    this.#desk = desk;
    this.#stop = [desk.onApplication(() => { this.#sorted = undefined; }), desk.onSettings(() => { this.#sorted = undefined; })];
  }

  all(): readonly KubeObject[] {
    return (this.#sorted ??= this.#desk.applications().sort(byName));
  }

  /** Those that fit and that the caller may see. */
  find(fits: (application: KubeObject) => boolean, may: May): KubeObject[] {
    const { namespace } = this.#desk;
    return this.all().filter((application) => fits(application) && may('applications', 'get', rbacNameOf(application, namespace)));
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }
}
