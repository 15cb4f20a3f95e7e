import { useCallback, useState } from 'react';
import { address } from '../http/client';
import { useLoad, type Loaded } from '../http/load';
import { useStream } from '../http/stream';
import type { WireApplication } from '../http/wire';
import { appPath, appQuery, type AppRef } from '../http/application-path';

export interface LiveApplication extends Loaded<WireApplication> {
  readonly isLive: boolean;
  readonly isGone: boolean;
  /** Grows with each change that was heard of. */
  readonly version: string;
  readonly learn: (application: WireApplication) => void;
}

/** An application and every change of it. */
export function useApplication(app: AppRef): LiveApplication {
  const loaded = useLoad<WireApplication>(appPath(app), appQuery(app));
  const [heard, setHeard] = useState<{ readonly application?: WireApplication; readonly isGone: boolean }>({
    isGone: false,
  });
  const learn = useCallback((application: WireApplication) => {
    setHeard({ application, isGone: false });
  }, []);
  const { isLive } = useStream(
    address('/api/v1/stream/applications', { name: app.name, ...appQuery(app) }),
    ({ type, application }) => {
      if (application.metadata.name === app.name) setHeard({ application, isGone: type === 'DELETED' });
    },
  );
  const value = newer(loaded.value, heard.application);
  return { ...loaded, value, isLive, isGone: heard.isGone, version: value?.metadata.resourceVersion ?? '', learn };
}

function newer(a: WireApplication | undefined, b: WireApplication | undefined): WireApplication | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Number(a.metadata.resourceVersion ?? 0) > Number(b.metadata.resourceVersion ?? 0) ? a : b;
}
