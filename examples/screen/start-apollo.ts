import { followChanges, newClient } from '../../packages/client/src/apollo.ts';
import { TITLES, type Titles } from './start.ts';

/** Shows the first links, and what others do with them, until the returned function is called. */
export function followTitles(url: string, headers: Record<string, string>, show: (data: Titles) => void) {
  const client = newClient({ url, headers });
  const shown = client.watchQuery({ query: TITLES }).subscribe(({ data }) => {
    if (data?.links) show(data as Titles);
  });
  const unfollow = followChanges(client);
  return () => {
    unfollow();
    shown.unsubscribe();
    client.stop();
  };
}
