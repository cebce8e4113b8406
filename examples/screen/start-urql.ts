import { changes, newClient } from '../../packages/client/src/urql.ts';
import { TITLES, type Titles } from './start.ts';

/** Shows the first links, and what others do with them, until the returned function is called. */
export function followTitles(url: string, headers: Record<string, string>, show: (data: Titles) => void) {
  const client = newClient({ url, headers });
  const shown = client.query(TITLES, {}).subscribe(({ data }) => {
    if (data) show(data);
  });
  const followed = client.subscription(changes, {}).subscribe(() => {});
  return () => {
    followed.unsubscribe();
    shown.unsubscribe();
  };
}
