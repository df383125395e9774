import { useId, useMemo, useRef } from 'react';
import {
  Button as AriaButton,
  DropIndicator,
  GridList,
  GridListItem,
  useDragAndDrop,
} from 'react-aria-components';
import { isLongerThan } from '../../../../../../src/lib/text/characters.js';
import { useText } from '../../../../language.js';
import { Button } from '../../../../parts/buttons/button.js';
import { TextField } from '../../../../parts/fields/text-field.js';
import { CloseIcon, GripIcon, PlusIcon } from '../../../../parts/icons/icons.js';
import { moved } from '../../../../parts/moved.js';
import { say } from '../../../../parts/overlays/toasts.js';
import type { FieldDraft } from '../../queries.js';
import type { Change, Hold } from '../../use-draft.js';
import { unique } from '../names.js';
import { changeOptions, newOption, type Option, renameOption } from '../recipes.js';
import { CommittedField } from './committed-field.js';
import styles from './options-editor.module.css';

type Props = Readonly<{
  field: FieldDraft;
  /** The field as the form is saved with it; undefined for a new one. */
  saved: FieldDraft | undefined;
  isReadOnly: boolean;
  change: Change;
  hold: Hold;
  /** Messages by their paths below the options; that of the list itself is empty. */
  faults: Readonly<Record<string, string>>;
}>;

/** An option in its place, by which the list knows it: its value may be changed. */
type Row = Readonly<{ id: number; option: Option }>;

/** The longest value. */
const MAX_VALUE = 255;

/** The options of a field: label and value of each, in an order that is changed by drag or by keyboard. */
export function OptionsEditor({ field, saved, isReadOnly, change, hold, faults }: Props) {
  const t = useText();
  const { name, options } = field;
  const list = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const labelBefore = useRef('');
  const rows = useMemo(() => options.map((option, id): Row => ({ id, option })), [options]);
  const values = options.map(({ value }) => value);
  const isSaved = (value: string) => saved?.options.some((option) => option.value === value) ?? false;
  const keptHint = useId();
  const faultId = useId();
  const described = faults[''] ? faultId : undefined;
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: isReadOnly,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(options[Number(key)]?.label) })),
    onReorder: ({ keys, target }) => {
      if (target.dropPosition === 'on') return;
      const to = { key: String(target.key), position: target.dropPosition };
      const ids = new Set([...keys].map(String));
      const ordered = moved(rows, ({ id }) => String(id), ids, to);
      change(changeOptions(name, () => ordered.map(({ option }) => option)));
      const at = ordered.findIndex(({ id }) => ids.has(String(id)));
      requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('[role=row]')[at]?.focus());
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className={styles.drop!} />,
  });

  const add = () => {
    const isTaken = (label: string) => options.some((one) => one.value === label || one.label === label);
    let number = options.length + 1;
    while (isTaken(t('form.options.new', { number }))) number += 1;
    const label = t('form.options.new', { number });
    change(changeOptions(name, (before) => [...before, newOption(label, label)]));
    // The input is there once the list shows the option.
    requestAnimationFrame(() => {
      const inputs = list.current?.querySelectorAll<HTMLInputElement>('input[name$=".label"]');
      const input = inputs?.[inputs.length - 1];
      // The list goes to its first row when a field gets the focus before its row.
      input?.closest<HTMLElement>('[role=row]')?.focus();
      input?.focus();
      input?.select();
    });
  };

  const remove = (id: number, { value, label }: Option) => {
    change(changeOptions(name, (before) => before.filter((_, at) => at !== id)));
    say(t('form.options.oneRemoved', { option: label || value }), async () => {
      const { restoreOption } = await import('../restore.js');
      change(restoreOption(field, id));
    });
    requestAnimationFrame(() => {
      if (!list.current?.contains(document.activeElement)) addButton.current?.focus();
    });
  };

  const setLabel = (id: number, label: string) =>
    change(changeOptions(name, (before) => before.map((one, at) => (at === id ? { ...one, label } : one))));

  /** A value that was the label goes on to be it, until leads and the rules of websites may hold it. */
  const follow = ({ value, label }: Option) => {
    const wanted = label.trim().slice(0, MAX_VALUE);
    const isProposed = value === labelBefore.current && !isSaved(value);
    if (!isProposed || wanted === value || wanted === '') return;
    change(
      renameOption(
        name,
        value,
        unique(wanted, (text) => text !== value && values.includes(text)),
      ),
    );
  };

  return (
    <div ref={list} className={styles.options}>
      <GridList
        aria-label={t('form.options.title')}
        aria-describedby={described}
        className={styles.list!}
        items={rows}
        dependencies={[faults, saved]}
        dragAndDropHooks={dragAndDropHooks}
        keyboardNavigationBehavior="tab"
      >
        {({ id, option }) => (
          <GridListItem id={id} textValue={option.label || option.value} className={styles.row!}>
            <AriaButton
              slot="drag"
              isDisabled={isReadOnly}
              aria-label={t('form.options.move', { option: option.label || option.value })}
              className={styles.handle!}
            >
              <GripIcon />
            </AriaButton>
            <TextField
              name={`options.${id}.label`}
              label={t('form.options.label')}
              autoComplete="off"
              maxLength={500}
              value={option.label}
              onFocus={() => {
                labelBefore.current = option.label;
              }}
              onChange={(label) => setLabel(id, label)}
              onBlur={() => follow(option)}
            />
            <CommittedField
              name={`options.${id}.value`}
              label={t('form.options.value')}
              aria-describedby={isSaved(option.value) ? keptHint : undefined}
              value={option.value}
              fault={(text) => {
                if (text === '' || isLongerThan(text, MAX_VALUE)) return t('form.options.valueFault');
                return values.includes(text) ? t('form.options.valueTaken') : null;
              }}
              hold={hold}
              onCommit={(value) => change(renameOption(name, option.value, value))}
            />
            <Button
              variant="quiet"
              isSquare
              isDisabled={isReadOnly}
              aria-label={t('form.options.remove', { option: option.label || option.value })}
              onPress={() => remove(id, option)}
            >
              <CloseIcon />
            </Button>
          </GridListItem>
        )}
      </GridList>
      {values.some(isSaved) && (
        <p id={keptHint} className={styles.hint}>
          {t('form.options.valueKept')}
        </p>
      )}
      {faults[''] && (
        <p id={faultId} className={styles.fault} data-fault tabIndex={-1}>
          {faults['']}
        </p>
      )}
      <div>
        <Button ref={addButton} aria-describedby={described} onPress={add}>
          <PlusIcon />
          {t('form.options.add')}
        </Button>
      </div>
    </div>
  );
}
