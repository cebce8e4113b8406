import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { LAST_DAY } from './days.ts';

interface DayFieldProps {
  readonly label: string;
  readonly day: string;
  onDay(day: string): void;
}

/** The pause after typing before a day takes effect, in milliseconds: the first digits of one are a valid day, too. */
const PAUSE = 400;

/** A day. Typing takes effect soon after its year has four digits, when the field is left, or with Enter. */
export function DayField({ label, day, onDay }: DayFieldProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const isTyping = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const finish = () => {
    clearTimeout(timer.current);
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
          if (!isTyping.current) return value !== '' && onDay(value);
          clearTimeout(timer.current);
          setTyped(value);
          if (value >= '1000') timer.current = setTimeout(() => onDay(value), PAUSE);
        }}
      />
    </label>
  );
}
