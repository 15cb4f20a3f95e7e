import { address, RequestError, errorMessage, type Query } from '../http/client';

export interface LogLine {
  readonly content: string;
  readonly time: string;
  readonly pod: string;
}

/** Reads a log line by line as it is written, until it ends or nobody listens any more. */
export async function readLog(
  path: string,
  query: Query,
  onLines: (lines: readonly LogLine[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(address(path, query), { credentials: 'same-origin', signal });
  if (!response.ok || response.body === null) throw new RequestError(response.status, await messageOf(response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = `${rest}${value}`.split('\n');
    rest = parts.pop() ?? '';
    const lines = parts.flatMap(lineOf);
    if (lines.length > 0) onLines(lines);
  }
  onLines(lineOf(rest));
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text === '' ? `the server returned ${response.status}` : text;
  }
}

/** A line of the gateway: `{"result":{...}}`, with `data: ` before it in a stream of events. */
function lineOf(text: string): LogLine[] {
  const body = text.startsWith('data:') ? text.slice(5).trim() : text.trim();
  if (body === '') return [];
  try {
    const { result, error } = JSON.parse(body) as {
      result?: { content?: string; timeStampStr?: string; podName?: string; last?: boolean };
      error?: { message?: string };
    };
    if (error !== undefined) return [{ content: error.message ?? 'the log ended with an error', time: '', pod: '' }];
    return result === undefined || result.last === true
      ? []
      : [{ content: result.content ?? '', time: result.timeStampStr ?? '', pod: result.podName ?? '' }];
  } catch (error) {
    return [{ content: errorMessage(error), time: '', pod: '' }];
  }
}
