import type { DragEvent, ReactElement } from 'react';
import { attempt } from '../../data/actions.ts';
import { useSession } from '../../data/session.ts';
import { Back } from '../../parts/back.tsx';
import { Empty } from '../../parts/notice.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { texts } from '../../texts.ts';
import { CheckedView } from './checked-view.tsx';
import { ColumnsView } from './columns-view.tsx';
import { LinesForm } from './lines-form.tsx';
import { ManyDone } from './many-done.tsx';
import { type Import, useImport } from './use-import.ts';

/** Many new links from lines or a file: checked, then made. */
export function ManyView(): ReactElement {
  const { canWrite } = useSession();
  const state = useImport();
  const t = texts.many;
  if (!canWrite) return <Empty title={texts.mayNotWrite} />;
  return (
    <>
      <Back to="/links" text={texts.link.back} />
      <h1>{t.title}</h1>
      {state.made ? (
        <ManyDone {...state.made} onCorrect={state.correct} onAgain={state.goOn} onLeave={state.leave} />
      ) : (
        <section
          className="card many stack"
          aria-label={t.title}
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={(event: DragEvent) => {
            event.preventDefault();
            void attempt('file', () => state.take(event.dataTransfer.files[0]));
          }}
        >
          <LinesForm state={state} />
          <ColumnsView lines={state.lines} isBusy={state.making !== null} />
          <Progress state={state} />
          <CheckedView state={state} />
        </section>
      )}
    </>
  );
}

function Progress({ state: { lines, making, stop } }: { state: Import }): ReactElement | null {
  const progress = making ?? lines.progress;
  if (!progress) return null;
  const name = making ? texts.many.making : texts.many.checking;
  return <ProgressBar {...{ progress, name }} onStop={making ? stop : () => lines.setText('')} />;
}
