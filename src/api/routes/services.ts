import { TriageDesk, type FrontDesk, type SideOptions } from '../../control/index.js';
import { ApplicationBook } from '../applications/application-book.js';
import { SetBook } from '../applications/set-book.js';
import { LoopDelay } from '../http/loop-delay.js';

/** What routes share for as long as the server runs. */
export interface Services {
  readonly version: string;
  readonly book: ApplicationBook;
  readonly sets: SetBook;
  readonly triage: TriageDesk;
  readonly loopDelay: LoopDelay;
}

export function openServices(desk: FrontDesk, version: string, side: SideOptions): Services & { close(): void } {
  const [book, sets, triage, loopDelay] = [
    new ApplicationBook(desk),
    new SetBook(desk),
    new TriageDesk(desk, side),
    new LoopDelay(),
  ];
  return {
    version,
    book,
    sets,
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
