import { useEffect, useEffectEvent, useState } from 'react';

/**
 * A value, once it has been equal for a moment, and whether it is the present one.
 * @param pause the moment in milliseconds
 */
export function useSettled<Value>(
  value: Value,
  pause: number,
): readonly [settled: Value, isPresent: boolean] {
  const [settled, setSettled] = useState(value);
  const settle = useEffectEvent(() => setSettled(value));
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another value, which it does not read
  useEffect(() => {
    const timer = setTimeout(settle, pause);
    return () => clearTimeout(timer);
  }, [text, pause]);
  return [settled, JSON.stringify(settled) === text];
}
