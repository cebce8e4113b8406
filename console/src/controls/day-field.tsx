import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { LAST_DAY } from './days.ts';

interface DayFieldProps {
  readonly label: string;
  readonly day: string;
  onDay(day: string): void;
}

/** A day. Typing takes effect when the field is left, or with Enter: its first digits are a valid day, too. */
export function DayField({ label, day, onDay }: DayFieldProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const isTyping = useRef(false);
  const finish = () => {
    isTyping.current = false;
    setTyped(null);
    if (typed) onDay(typed);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') finish();
    else isTyping.current = true;
  };
  return (
    <label className="inline">
      {label}
      <input
        type="date"
        max={LAST_DAY}
        value={typed ?? day}
        onKeyDown={onKeyDown}
        onBlur={finish}
        onChange={({ target: { value } }) => {
          if (isTyping.current) setTyped(value);
          else if (value !== '') onDay(value);
        }}
      />
    </label>
  );
}
