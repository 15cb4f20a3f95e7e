import { TriageService, type BackgroundOptions, type ControlServices } from '../../control/index.js';
import { ApplicationSetCache, ApplicationTexts } from '../applications/index.js';
import { LoopDelay } from '../../net/loop-delay/index.js';
import type { ServerState } from '../route/index.js';

export function openServerState(
  services: ControlServices,
  {
    version,
    routes,
    requiresWebhookSecret,
    background,
  }: Pick<ServerState, 'version' | 'routes' | 'requiresWebhookSecret'> & { readonly background: BackgroundOptions },
): ServerState & { close(): void } {
  const applicationSets = new ApplicationSetCache(services);
  const triage = new TriageService(services, background);
  const loopDelay = new LoopDelay();
  return {
    version,
    routes,
    requiresWebhookSecret,
    applicationTexts: new ApplicationTexts(),
    applicationSets,
    triage,
    loopDelay,
    close: () => {
      applicationSets.close();
      triage.close();
      loopDelay.close();
    },
  };
}
