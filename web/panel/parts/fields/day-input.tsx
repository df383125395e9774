import { useEffect, useRef, useState } from 'react';
import field from './field.module.css';

type Props = {
  label: string;
  /** As in `2026-11-21`; empty for none. */
  value: string;
  isRequired?: boolean;
  min?: string | undefined;
  max?: string | undefined;
  onChange(day: string): void;
};

/**
 * A day that narrows a page. One that is picked is taken over at once, one that is typed when the cursor leaves it or
 * with Enter: the browser has a date from the first digit of the year on.
 */
export function DayInput({
  label,
  value,
  isRequired,
  min = '1970-01-01',
  max = '2099-12-31',
  onChange,
}: Props) {
  const [text, setText] = useState(value);
  const isTyped = useRef(false);
  useEffect(() => setText(value), [value]);
  const commit = (input: HTMLInputElement) => {
    isTyped.current = false;
    if (!input.validity.valid) setText(value);
    else if (input.value !== value) {
      // What the page makes of it is shown, where that is another day.
      setText(value);
      onChange(input.value);
    }
  };
  return (
    <label className={field.field}>
      <span className={field.label}>{label}</span>
      <input
        type="date"
        className={field.input}
        required={isRequired}
        min={min}
        max={max}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (!isTyped.current) commit(target);
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') commit(currentTarget);
          else isTyped.current = true;
        }}
        onPointerDown={() => {
          isTyped.current = false;
        }}
        onBlur={({ target }) => commit(target)}
      />
    </label>
  );
}
