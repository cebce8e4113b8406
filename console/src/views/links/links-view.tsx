import { type ReactElement, useState } from 'react';
import { useSession } from '../../data/session.ts';
import { texts } from '../../texts.ts';
import { Filters } from './filters.tsx';
import { LinksPage } from './links-page.tsx';
import { useLinksState } from './links-state.ts';
import { NewLink } from './new-link.tsx';
import { Search } from './search.tsx';

export function LinksView(): ReactElement {
  const { canWrite } = useSession();
  const [state, set] = useLinksState();
  const [entered, setEntered] = useState<string | null>(null);
  return (
    <>
      {canWrite ? <NewLink search={state.search} /> : <h1>{texts.places.links}</h1>}
      <section className="list" aria-label={texts.places.links}>
        <div className="toolbar">
          <Search state={state} set={set} onEnter={setEntered} />
          <Filters state={state} set={set} />
        </div>
        <LinksPage state={state} set={set} entered={entered} onEntered={() => setEntered(null)} />
      </section>
    </>
  );
}
