import { TriageService, type ApplicationService, type BackgroundOptions } from '../../../control/index.js';
import { ApplicationCache } from '../../applications/application-cache.js';
import { ApplicationSetCache } from '../../applications/application-set-cache.js';
import { LoopDelay } from '../../http/loop-delay.js';

/** What routes share for as long as the server runs. */
export interface Services {
  readonly version: string;
  readonly applications: ApplicationCache;
  readonly applicationSets: ApplicationSetCache;
  readonly triage: TriageService;
  readonly loopDelay: LoopDelay;
}

export function openServices(
  desk: ApplicationService,
  version: string,
  side: BackgroundOptions,
): Services & { close(): void } {
  const [book, sets, triage, loopDelay] = [
    new ApplicationCache(desk),
    new ApplicationSetCache(desk),
    new TriageService(desk, side),
    new LoopDelay(),
  ];
  return {
    version,
    applications: book,
    applicationSets: sets,
    triage,
    loopDelay,
    close: () => {
      book.close();
      sets.close();
      triage.close();
      loopDelay.close();
    },
  };
}
