import { TriageService, type ApplicationService, type BackgroundOptions } from '../../../control/index.js';
import { ApplicationCache, ApplicationSetCache } from '../../applications/index.js';
import { LoopDelay } from '../../http/index.js';

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
