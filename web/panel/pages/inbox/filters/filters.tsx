import { getRouteApi, lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import { memo, type RefObject, Suspense, useState } from 'react';
import { Dialog, DialogTrigger, Input, SearchField, ToggleButton } from 'react-aria-components';
import { useIntl } from 'react-intl';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import buttons from '../../../parts/buttons/button.module.css';
import { classes } from '../../../parts/classes.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import field from '../../../parts/fields/field.module.css';
import { ChevronIcon } from '../../../parts/icons/icons.js';
import { Popover } from '../../../parts/overlays/popover.js';
import { useSearchText } from '../../../parts/search/search-text.js';
import { monthName } from '../list/lead-time.js';
import type { InboxSearch } from '../search.js';
import styles from './filters.module.css';

const ChoiceList = lazyRouteComponent(() => import('./choice-list.js'), 'ChoiceList');
const PeriodForm = lazyRouteComponent(() => import('./period-form.js'), 'PeriodForm');

const route = getRouteApi('/shell/inbox');

/** The search for words. It looks through all folders, and back to the folder when it is cleared. */
export const Search = memo(function Search({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const t = useText();
  const { q } = route.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useSearchText(q, (wanted, isAnother) => {
    // A lead that was opened in the meantime stays open.
    void navigate({
      to: '.',
      search: (search) => ({ ...search, q: wanted, ...((!isAnother || !wanted) && { folder: undefined }) }),
      replace: isAnother,
    });
  });

  return (
    <SearchField
      aria-label={t('inbox.search')}
      className={styles.search!}
      value={text}
      onChange={setText}
      maxLength={200}
    >
      <Input
        ref={input}
        className={field.input!}
        placeholder={t('inbox.searchHint')}
        aria-keyshortcuts="/"
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text === '') input.current?.blur();
          if (event.key === 'ArrowDown' || event.key === 'Enter') document.getElementById('leads')?.focus();
        }}
      />
    </SearchField>
  );
});

type FilterProps = { label: string; chosen: string | null; children(close: () => void): React.ReactNode };

/** A filter: a button that tells what it is narrowed to, and opens the choice. */
function Filter({ label, chosen, children }: FilterProps) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button
        variant="quiet"
        aria-label={chosen ? t('labelled', { label, value: chosen }) : label}
        data-chosen={chosen !== null}
      >
        <span className={styles.chosen}>{chosen ?? label}</span>
        <ChevronIcon />
      </Button>
      <Popover placement="bottom start">
        <Dialog className={styles.dialog!} aria-label={label}>
          <Suspense fallback={<Skeleton />}>{children(() => setOpen(false))}</Suspense>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** Websites, forms, period and language that the list is narrowed to, and whether to leads to be reviewed. */
export const Filters = memo(function Filters() {
  const t = useText();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { formatDate, formatDisplayName } = useIntl();
  const { website, form, period, from, to, month, language, review, team } = search;
  const narrow = (changes: Partial<InboxSearch>) =>
    void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) });
  const dayText = (day: string | undefined) =>
    day ? formatDate(`${day}T00:00:00`, { dateStyle: 'medium' }) : '…';
  const days = from || to ? `${dayText(from)} – ${dayText(to)}` : null;
  const period_ = month ? monthName(formatDate, month) : period ? t(`period.${period}`) : days;
  return (
    <div className={styles.filters}>
      <Filter
        label={t('filter.website')}
        chosen={website ? t('filter.websites', { count: website.length }) : null}
      >
        {() => (
          <ChoiceList
            of="websites"
            team={team}
            chosen={website}
            onChange={(ids) => narrow({ website: ids })}
          />
        )}
      </Filter>
      <Filter label={t('filter.form')} chosen={form ? t('filter.forms', { count: form.length }) : null}>
        {() => <ChoiceList of="forms" team={team} chosen={form} onChange={(ids) => narrow({ form: ids })} />}
      </Filter>
      <Filter label={t('filter.period')} chosen={period_}>
        {(close) => (
          <PeriodForm
            value={{ period, from, to, month }}
            onChange={(value) => {
              narrow(value);
              close();
            }}
          />
        )}
      </Filter>
      <Filter
        label={t('filter.language')}
        chosen={language ? (formatDisplayName(language, { type: 'language' }) ?? language) : null}
      >
        {(close) => (
          <ChoiceList
            of="languages"
            team={team}
            chosen={language ? [language] : undefined}
            onChange={(codes) => {
              narrow({ language: codes?.at(-1) });
              close();
            }}
          />
        )}
      </Filter>
      <ToggleButton
        className={classes(buttons.button, buttons.quiet)}
        data-chosen={review === true}
        isSelected={review === true}
        onChange={(isSelected) => narrow({ review: isSelected || undefined })}
      >
        {t('inbox.toReview')}
      </ToggleButton>
    </div>
  );
});
