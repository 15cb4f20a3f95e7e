import { useEffect, useRef, useState } from 'react';
import type { WireApplication } from './wire';

/** A change of an application, as Argo CD tells of it. */
export interface ApplicationEvent {
  readonly type: string;
  readonly application: WireApplication;
}

/**
 * Follows the changes of applications; the browser connects again by itself. `onEvent` may change from render to
 * render.
 */
export function useStream(
  path: string | undefined,
  onEvent: (event: ApplicationEvent) => void,
): { readonly isLive: boolean } {
  const [isLive, setLive] = useState(false);
  const listener = useRef(onEvent);
  listener.current = onEvent;
  useEffect(() => {
    if (path === undefined) return;
    const source = new EventSource(path);
    source.onopen = () => {
      setLive(true);
    };
    source.onerror = () => {
      setLive(false);
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const message = readEvent(data);
      if (message !== undefined) listener.current(message);
    };
    return () => {
      source.close();
      setLive(false);
    };
  }, [path]);
  return { isLive };
}

/** Argo CD wraps every event in `result`; lines that are no event keep the connection open. */
function readEvent(data: string): ApplicationEvent | undefined {
  try {
    return (JSON.parse(data) as { result?: ApplicationEvent }).result;
  } catch {
    return undefined;
  }
}
