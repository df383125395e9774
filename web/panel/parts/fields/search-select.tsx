import type { ComponentProps, ReactNode } from 'react';
import {
  Select as AriaSelect,
  Autocomplete,
  Button,
  ButtonContext,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  SearchField,
  SelectValue,
  useFilter,
} from 'react-aria-components';
import { useText } from '../../language.js';
import { Loaded } from '../feedback/loaded.js';
import { CheckIcon, ChevronIcon } from '../icons/icons.js';
import { Popover } from '../overlays/popover.js';
import { useRestingSearch } from '../search/resting-search.js';
import styles from './field.module.css';
import { MoreChoices } from './more-choices.js';

export type Option = Readonly<{ value: string; text: string }>;

type Shared = {
  label: string;
  options: readonly Option[];
  /** Shown while nothing is chosen. */
  placeholder: string;
  /** Reads the options, where they are read: it says that they are on their way, or why they did not come. */
  query?: ComponentProps<typeof Loaded>['query'];
  /** Looks for options where there are too many to be given at once; else the given ones are searched. */
  onSearch?(text: string): void;
  /** Whether there are more than the options that were read, which a search finds. */
  hasMore?: boolean | undefined;
};

type Props = Shared & {
  /** What the button shows. */
  shown: ReactNode;
  selectionMode: 'single' | 'multiple';
  value: string | null | readonly string[];
  onChange(value: unknown): void;
};

/** The label, the button, and the list with its search. */
function Choice({ label, options, placeholder, query, onSearch, hasMore, shown, ...props }: Props) {
  const t = useText();
  const { contains } = useFilter({ sensitivity: 'base' });
  const search = useRestingSearch(onSearch);
  const list = (
    <>
      <ListBox
        className={styles.options!}
        // React Aria renders it in an option, which needs a name.
        renderEmptyState={() => <p className={styles.remark}>{t(hasMore ? 'choice.more' : 'choice.none')}</p>}
      >
        {options.map(({ value, text }) => (
          <ListBoxItem key={value} id={value} textValue={text} className={styles.option!}>
            {({ isSelected }) => (
              <>
                {text}
                {isSelected && <CheckIcon />}
              </>
            )}
          </ListBoxItem>
        ))}
      </ListBox>
      {hasMore && options.length > 0 && <MoreChoices />}
    </>
  );
  return (
    <AriaSelect
      {...(props as object)}
      className={styles.field!}
      allowsEmptyCollection
      onOpenChange={() => search('')}
    >
      <Label className={styles.label}>{label}</Label>
      <Button className={`${styles.input} ${styles.choice}`}>
        <SelectValue className={styles.chosen!}>{() => shown || placeholder}</SelectValue>
        <ChevronIcon />
      </Button>
      <Popover>
        <Autocomplete filter={onSearch ? () => true : contains} onInputChange={search}>
          <SearchField aria-label={t('choice.search')} autoFocus>
            <Input className={styles.input!} placeholder={t('choice.search')} />
          </SearchField>
          {/* The button that tries again is not the one that opens the list. */}
          <ButtonContext value={null}>
            {query ? <Loaded query={query}>{() => list}</Loaded> : list}
          </ButtonContext>
        </Autocomplete>
      </Popover>
    </AriaSelect>
  );
}

type OneProps = Shared & {
  value: string | null;
  /** Text of the value, where the options may not have it. */
  valueText?: string | undefined;
  onChange(option: Option): void;
};

/** One of many options, found by a search. */
export function SearchSelect({ value, valueText, onChange, ...shared }: OneProps) {
  const find = (key: unknown) => shared.options.find((option) => option.value === key);
  return (
    <Choice
      {...shared}
      selectionMode="single"
      shown={find(value)?.text ?? valueText ?? value}
      value={value}
      onChange={(key) => {
        const option = find(key);
        if (option) onChange(option);
      }}
    />
  );
}

type ManyProps = Shared & {
  values: readonly string[];
  /** Texts of values that the options may not have. */
  known?: readonly Option[];
  onChange(values: string[]): void;
};

/** Several of many options, found by a search. */
export function SearchSelectMany({ values, known = [], onChange, ...shared }: ManyProps) {
  const t = useText();
  const texts = values.flatMap(
    (value) => [...shared.options, ...known].find((option) => option.value === value)?.text ?? [],
  );
  return (
    <Choice
      {...shared}
      selectionMode="multiple"
      shown={texts.length > 3 ? t('choice.count', { count: texts.length }) : texts.join(', ')}
      value={values}
      onChange={(keys) => onChange([...(keys as string[])].sort())}
    />
  );
}
