import { useState, type ReactNode } from 'react';
import type { ValuesResponse } from '../../src/model/api/index.js';
import { useLoad } from '../http/load';
import { Empty, Ready } from '../parts/notice';
import { SearchBox } from '../parts/search-box';
import { appPath, appQuery, type AppRef } from '../http/application-path';

/** Effective Helm values, each with the file and line that set it, and overridden ones. */
export function ValuesView({ app, version }: { readonly app: AppRef; readonly version: string }): ReactNode {
  const values = useLoad<ValuesResponse>(appPath(app, '/values'), appQuery(app), version);
  const [search, setSearch] = useState('');
  return (
    <Ready loaded={values} what="the values">
      {({ values: all }) => {
        if (all.length === 0)
          return (
            <Empty icon="git" title="No Helm values">
              The source is not a Helm chart, or it has no values.
            </Empty>
          );
        const shown = all.filter(({ path, value, origin }) =>
          `${path} ${value} ${origin}`.toLowerCase().includes(search.toLowerCase()),
        );
        return (
          <>
            <div className="filters">
              <SearchBox
                value={search}
                onSearch={setSearch}
                label="Search values"
                placeholder="Search key, value, file…"
              />
              <span className="faint" role="status">
                {shown.length} of {all.length}
              </span>
            </div>
            <div className="card scroll-x" tabIndex={0} role="region" aria-label="Values">
              <table className="table">
                <caption className="sr-only">Values</caption>
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col">Value</th>
                    <th scope="col">Set by</th>
                    <th scope="col">Overridden</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map(({ path, value, origin, lost }) => (
                    <tr key={path}>
                      <td className="key">
                        <code>{path}</code>
                      </td>
                      <td className="wrap">
                        <code>{value}</code>
                      </td>
                      <td className="key">
                        <code>{origin}</code>
                      </td>
                      <td className="wrap muted">
                        {lost.map((other) => (
                          <div key={other.origin}>
                            <code>{other.value}</code> <span className="faint">{other.origin}</span>
                          </div>
                        ))}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        );
      }}
    </Ready>
  );
}
