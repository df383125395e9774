import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import {
  ButtonContext,
  CheckboxContext,
  Provider,
  SelectContext,
  TextFieldContext,
} from 'react-aria-components';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { FormState } from '../../../parts/form/form-state.js';
import { BackIcon } from '../../../parts/icons/icons.js';
import { type Faults, faultsBelow } from '../faults.js';
import type { FieldDraft } from '../queries.js';
import type { Change, Hold } from '../use-draft.js';
import { isSeen, takesOptions } from './attributes.js';
import styles from './field-panel.module.css';
import { AttributeFields } from './panel/attribute-fields.js';
import { FieldBasics } from './panel/basics.js';
import { ConditionEditor } from './panel/condition-editor.js';
import { FieldLook } from './panel/look.js';
import { OptionsEditor } from './panel/options-editor.js';
import { changeField } from './recipes.js';

type Props = Readonly<{
  field: FieldDraft;
  fields: readonly FieldDraft[];
  /** The field as the form is saved with it; undefined for a new one. */
  saved: FieldDraft | undefined;
  isReadOnly: boolean;
  /** Whether it was just added, so that its label is to be typed over at once. */
  isAdded: boolean;
  /** Whether it was just opened, in a narrow window in place of the list that had the focus. */
  isOpened: boolean;
  /** By their paths within the field. */
  faults: Faults;
  change: Change;
  hold: Hold;
  onRenamed(name: string): void;
  onDuplicate(): void;
  onRemove(): void;
  onLeave(): void;
}>;

/** Everything about the field that is edited. */
export function FieldPanel(props: Props) {
  const { field, fields, saved, isReadOnly, isAdded, isOpened, faults, change, hold } = props;
  const { name, type } = field;
  const t = useText();
  const faultWords = useFaultWords();
  const panel = useRef<HTMLElement>(null);

  useEffect(() => {
    if (!isAdded) return;
    const label = panel.current?.querySelector('input');
    label?.focus();
    label?.select();
  }, [isAdded]);

  useEffect(() => {
    const back = panel.current?.querySelector('button');
    const hasReplacedList = back && back.getClientRects().length > 0;
    if (isOpened && !isAdded && hasReplacedList) back.focus();
  }, [isOpened, isAdded]);

  return (
    <section
      ref={panel}
      className={styles.panel}
      aria-label={t('form.field.of', { field: field.label || name })}
    >
      <PanelHeader {...props} />
      <FormState value={{ isTried: true, messages: faultWords(faults) }}>
        <Controls areDisabled={isReadOnly}>
          <FieldBasics {...props} />
          {(takesOptions(type) || field.options.length > 0) && (
            <div className={styles.part}>
              <h3>{t('form.options.title')}</h3>
              <OptionsEditor
                field={field}
                saved={saved}
                isReadOnly={isReadOnly}
                change={change}
                hold={hold}
                faults={faultWords(faultsBelow(faults, 'options'))}
              />
            </div>
          )}
          {isSeen(type) && <FieldLook field={field} change={change} />}
          <AttributeFields field={field} change={change} />
          <div className={styles.part}>
            <h3>{t('condition.title')}</h3>
            <ConditionEditor
              field={field}
              fields={fields}
              isReadOnly={isReadOnly}
              faults={faultWords(faultsBelow(faults, 'visibility'))}
              onChange={(visibility) => change(changeField(name, (now) => ({ ...now, visibility })))}
            />
          </div>
        </Controls>
      </FormState>
    </section>
  );
}

/** The name of the field, and what can be done with it as a whole. */
function PanelHeader({ field, isReadOnly, onLeave, onDuplicate, onRemove }: Props) {
  const t = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <header className={styles.header}>
      <span className={styles.back}>
        <Button variant="quiet" onPress={onLeave}>
          <BackIcon />
          {t('form.fields.back')}
        </Button>
      </span>
      <h2 ref={heading} tabIndex={-1}>
        {field.label || field.name}
      </h2>
      {!isReadOnly && (
        <>
          <Button onPress={onDuplicate}>{t('form.field.duplicate')}</Button>
          <Button
            onPress={() => {
              onRemove();
              // The panel goes on to the next field, which a second press is not to delete.
              requestAnimationFrame(() => heading.current?.focus());
            }}
          >
            {t('form.field.remove')}
          </Button>
        </>
      )}
    </header>
  );
}

/** Disables the controls within it, all but those of the rows of a list, which have contexts of their own. */
function Controls({ areDisabled, children }: { areDisabled: boolean; children: ReactNode }) {
  const state = useMemo(() => ({ isDisabled: areDisabled }), [areDisabled]);
  return (
    <Provider
      // A disabled fieldset would not do: what React Aria makes of labels, icons and rows still acts in it.
      values={[
        [ButtonContext, state],
        [CheckboxContext, state],
        [SelectContext, state],
        [TextFieldContext, state],
      ]}
    >
      {children}
    </Provider>
  );
}
