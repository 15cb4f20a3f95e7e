import { useState, type ReactNode } from 'react';
import { Icon } from './icon';

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): ReactNode {
  const [isDone, setDone] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setDone(true);
        setTimeout(() => {
          setDone(false);
        }, 1500);
      },
      () => {
        setDone(false);
      },
    );
  };
  return (
    <button type="button" className="button small" onClick={copy}>
      <Icon name={isDone ? 'done' : 'copy'} size={14} />
      <span aria-live="polite">{isDone ? 'Copied' : label}</span>
    </button>
  );
}

export function DownloadButton({
  text,
  file,
  label = 'Download',
}: {
  readonly text: string;
  readonly file: string;
  readonly label?: string;
}): ReactNode {
  const download = (): void => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = file;
    link.click();
    setTimeout(() => {
      URL.revokeObjectURL(url);
    }, 1000);
  };
  return (
    <button type="button" className="button small" onClick={download}>
      <Icon name="download" size={14} />
      {label}
    </button>
  );
}
