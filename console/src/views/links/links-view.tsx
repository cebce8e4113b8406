import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../data/session.ts';
import { lazily } from '../../parts/lazily.tsx';
import { texts } from '../../texts.ts';
import { Filters } from './filters.tsx';
import { LinksPage } from './links-page.tsx';
import { toQuery, useLinksState } from './links-state.ts';
import { NewLink } from './new-link.tsx';
import { Search } from './search.tsx';

const LinkSheet = lazily(async () => (await import('../link/link-view.tsx')).LinkSheet, null);

/** The list of links, and over it the link of an id. */
export function LinksView({ id }: { id: string | undefined }): ReactElement {
  const { canWrite } = useSession();
  const [, navigate] = useLocation();
  const [state, set] = useLinksState();
  const toList = () => id !== undefined && navigate(`/links${toQuery(state)}`);
  const [entered, setEntered] = useState<string | null>(null);
  return (
    <>
      {canWrite ? (
        <NewLink search={state.search} isAlone={id === undefined} toList={toList} />
      ) : (
        <h1>{texts.places.links}</h1>
      )}
      <section className="list stack near" aria-label={texts.places.links}>
        <div className="stack near">
          <Search state={state} set={set} onEnter={setEntered} />
          <Filters state={state} set={set} />
        </div>
        <LinksPage state={state} set={set} entered={entered} onEntered={() => setEntered(null)} />
      </section>
      {id !== undefined && <LinkSheet key={id} id={id} onClose={toList} />}
    </>
  );
}
