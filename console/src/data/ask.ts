import { useEffect, useState } from 'react';
import { ask } from './auth.ts';
import { Fault } from './faults.ts';

/** What a path below `/auth/` answers, and why there is nothing else. */
export function useAsk<Answer>(path: string): { data: Answer | null; fault: Fault | null; again(): void } {
  const [data, setData] = useState<Answer | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const again = () => {
    ask<Answer>(path).then(
      (answer) => {
        setData(answer);
        setFault(null);
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        setFault(error);
      },
    );
  };
  useEffect(again, [path]);
  return { data, fault, again };
}
