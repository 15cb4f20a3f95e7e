import { TriageDesk, type FrontDesk, type SideOptions } from '../../control/index.js';
import { ApplicationBook } from '../applications/application-book.js';

/** What routes share for as long as the server runs. */
export interface Services {
  readonly version: string;
  readonly book: ApplicationBook;
  readonly triage: TriageDesk;
}

export function openServices(desk: FrontDesk, version: string, side: SideOptions): Services & { close(): void } {
  const [book, triage] = [new ApplicationBook(desk), new TriageDesk(desk, side)];
  return {
    version, book, triage,
    close: () => {
      book.close();
      triage.close();
    },
  };
}
