import { useState } from 'react';
import { type Key, ListBox, ListBoxItem } from 'react-aria-components';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import field from '../../../parts/fields/field.module.css';
import { CheckIcon } from '../../../parts/icons/icons.js';
import { dayOf } from '../../../parts/time/day.js';
import { type InboxSearch, PERIODS, type Period } from '../search.js';
import styles from './filters.module.css';

type Value = Pick<InboxSearch, 'period' | 'from' | 'to' | 'month'>;

/** A usual period, or the days between two. */
export function PeriodForm({ value, onChange }: { value: Value; onChange(value: Value): void }) {
  const t = useText();
  const [from, setFrom] = useState(value.from ?? '');
  const [to, setTo] = useState(value.to ?? '');
  const none: Value = { period: undefined, from: undefined, to: undefined, month: undefined };
  // A day, not a period that ends now: a view of it keeps that day.
  const yesterday = dayOf(new Date(), -1);
  const [today, ...longer] = PERIODS;
  const options = ['any', today, 'yesterday', ...longer] as const;
  const isYesterday = value.from === yesterday && value.to === yesterday;
  const ofDays = isYesterday ? 'yesterday' : undefined;
  const current = value.period ?? (value.from || value.to || value.month ? ofDays : 'any');
  return (
    <>
      <ListBox
        aria-label={t('filter.period')}
        className={field.options!}
        selectionMode="single"
        selectedKeys={current ? [current] : []}
        onSelectionChange={(keys) => {
          // The current one, pressed again, is in it no longer.
          const [key = current] = keys as Set<Key>;
          if (key === 'yesterday') onChange({ ...none, from: yesterday, to: yesterday });
          else onChange({ ...none, ...(key !== 'any' && { period: key as Period }) });
        }}
      >
        {options.map((id) => {
          const text = t(`period.${id}`);
          return (
            <ListBoxItem key={id} id={id} textValue={text} className={field.option!}>
              {text}
              {id === current && <CheckIcon />}
            </ListBoxItem>
          );
        })}
      </ListBox>
      <form
        className={styles.days}
        onSubmit={(event) => {
          event.preventDefault();
          onChange({ ...none, from: from || undefined, to: to || undefined });
        }}
      >
        <label className={field.field}>
          <span className={field.hint}>{t('period.from')}</span>
          <input
            type="date"
            className={field.input}
            value={from}
            max={to || undefined}
            onChange={({ target }) => setFrom(target.value)}
          />
        </label>
        <label className={field.field}>
          <span className={field.hint}>{t('period.to')}</span>
          <input
            type="date"
            className={field.input}
            value={to}
            min={from || undefined}
            onChange={({ target }) => setTo(target.value)}
          />
        </label>
        <Button type="submit">{t('period.show')}</Button>
      </form>
    </>
  );
}
