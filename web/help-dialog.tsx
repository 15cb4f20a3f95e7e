import type { ReactNode } from 'react';
import { Dialog } from './parts/dialog';

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['/', 'search on this page'],
      ['?', 'this list'],
      ['g f', 'fleet'],
      ['g t', 'triage'],
      ['g n', 'notebooks'],
      ['g h', 'health lab'],
      ['g s', 'settings'],
      ['T', 'light, dark, as the system'],
      ['Esc', 'close'],
    ],
  ],
  [
    'Fleet',
    [
      ['j k', 'next and previous application'],
      ['Enter', 'open it'],
      ['v', 'table or tiles'],
    ],
  ],
  [
    'Application',
    [
      ['s', 'sync, with its plan'],
      ['r', 'refresh'],
      ['1 – 9', 'tabs'],
      ['u', 'back to the fleet'],
    ],
  ],
  ['Triage', [['j k', 'next and previous cause']]],
];

/** The page can be used without a mouse; this says how. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {KEYS.map(([title, keys]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
