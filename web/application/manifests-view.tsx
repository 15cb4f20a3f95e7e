import { useState, type ReactNode } from 'react';
import type { RenderedResponse } from '../../src/model/api/index.js';
import { useLoad } from '../http/load';
import { Code } from '../parts/code';
import { Empty, Ready } from '../parts/notice';
import { yamlText } from '../parts/yaml-text';
import { appPath, appQuery, type AppRef } from '../http/application-path';

/** What git renders to, object by object, with the file and line each came from. */
export function ManifestsView({ app, version }: { readonly app: AppRef; readonly version: string }): ReactNode {
  const loaded = useLoad<RenderedResponse>(appPath(app, '/rendered'), appQuery(app), version);
  const [chosen, setChosen] = useState(0);
  return (
    <Ready loaded={loaded} what="the manifests">
      {({ manifests }) => {
        const current = manifests[Math.min(chosen, manifests.length - 1)];
        if (current === undefined)
          return (
            <Empty icon="git" title="No manifests">
              The source renders to nothing.
            </Empty>
          );
        const { kind, metadata } = current.object;
        return (
          <div className="picker">
            <ul className="picker-list" aria-label="Manifests">
              {manifests.map(({ object, origin }, index) => (
                <li key={index}>
                  <button
                    type="button"
                    aria-current={index === chosen}
                    title={origin}
                    onClick={() => {
                      setChosen(index);
                    }}
                  >
                    <span className="cut">{object.metadata.name}</span>
                    <span className="faint cut small-text">{object.kind}</span>
                  </button>
                </li>
              ))}
            </ul>
            <Code
              text={yamlText(current.object)}
              label={`${kind} ${metadata.name ?? ''}`}
              {...(current.origin === '' ? {} : { file: current.origin })}
              hasNumbers
            />
          </div>
        );
      }}
    </Ready>
  );
}
