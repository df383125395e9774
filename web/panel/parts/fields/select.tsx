import {
  Select as AriaSelect,
  Button,
  Label,
  ListBox,
  ListBoxItem,
  SelectValue,
} from 'react-aria-components';
import { CheckIcon, ChevronIcon } from '../icons/icons.js';
import { Popover } from '../overlays/popover.js';
import styles from './field.module.css';

type Props<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Readonly<{ value: Value; text: string }>[];
  onChange(value: Value): void;
};

/** One of a few options. */
export function Select<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <AriaSelect
      className={styles.field!}
      value={value}
      onChange={(key) => {
        if (key !== null) onChange(key as Value);
      }}
    >
      <Label className={styles.label}>{label}</Label>
      <Button className={`${styles.input} ${styles.choice}`}>
        <SelectValue>{({ selectedText }) => selectedText}</SelectValue>
        <ChevronIcon />
      </Button>
      <Popover>
        <ListBox className={styles.options!}>
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.text}
              className={styles.option!}
            >
              {option.text}
              {option.value === value && <CheckIcon />}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
