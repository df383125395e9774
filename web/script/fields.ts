import { isAccepted, isSwitch } from '../../src/forms/validation/sent-value.js';
import { buildParts, type Control, isRadioGroup } from './controls.js';
import type { Field } from './definition.js';
import { h, outsideLink, setAttribute } from './elements.js';
import type { Words } from './words.js';

/** A rendered field. */
export type FieldView = Readonly<{
  field: Field;
  root: HTMLElement;
  /** Reads the value to send; undefined means none. */
  read(): unknown;
  fill(value: unknown): void;
  /** Whether the browser holds an entry that it cannot read, such as half a date. */
  isUnreadable(): boolean;
  /** Shows messages at the field; an empty list removes them. */
  setErrors(messages: readonly string[]): void;
  /** Focuses a field that is shown; false when it has no control. */
  focus(): boolean;
}>;

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);

const isBox = (control: Control): control is HTMLInputElement => /^(checkbox|radio)$/.test(control.type);

const isSelect = (control: Control): control is HTMLSelectElement => control instanceof HTMLSelectElement;

/** Lists what is entered in a control. */
function textsOf(control: Control): string[] {
  if (isSelect(control)) return Array.from(control.selectedOptions, ({ value }) => value);
  return isBox(control) && !control.checked ? [] : [control.value];
}

/** Reads the value of a field from its controls; undefined means none. */
function readValue(field: Field, controls: readonly Control[]): unknown {
  const given = controls.flatMap(textsOf).filter((text) => text !== '');
  if (given.length === 0) return undefined;
  if (isSwitch(field)) return 1;
  return field.isMultiple && field.type !== 'email' ? given : given[0];
}

/** Enters the values of a field into its controls. */
function fillIn(field: Field, controls: readonly Control[], texts: readonly string[]): void {
  for (const [index, control] of controls.entries()) {
    if (isSelect(control)) {
      for (const option of control.options) option.selected = texts.includes(option.value);
    } else if (isBox(control)) {
      control.checked = isSwitch(field) ? isAccepted(texts[0]) : texts.includes(control.value);
    } else control.value = controls.length > 1 ? (texts[index] ?? '') : texts.join(', ');
  }
}

/**
 * Renders a field with its label, help and error area.
 *
 * @param id the prefix of every id inside the field.
 */
export function createField(field: Field, id: string, words: Words): FieldView {
  const helpId = `${id}-help`;
  const errorId = `${id}-error`;
  const help = field.helpText && h('p', { class: 'fg-help', id: helpId }, field.helpText);
  const error = h('p', { class: 'fg-error', id: errorId, hidden: true });
  const { heading, content, controls, grow } = buildParts(field, id, words, describe);
  const isGroup = heading?.tagName === 'LEGEND';
  const link =
    field.linkUrl && h('p', { class: 'fg-help' }, outsideLink(field.linkUrl, words.more, field.label));
  const element = heading
    ? h(
        isGroup ? 'fieldset' : 'div',
        { class: `fg-field fg-${field.type}`, role: isRadioGroup(field) && 'radiogroup' },
        heading,
        help,
        ...content,
        link,
        error,
      )
    : content[0]!;

  /** Has help and errors describe the controls, and the group around them. */
  function describe(): void {
    const ids = [help && helpId, !error.hidden && errorId].filter(Boolean).join(' ');
    const described = isGroup && controls.length > 0 ? [element, ...controls] : controls;
    for (const target of described) setAttribute(target, 'aria-describedby', ids || null);
    for (const control of controls) setAttribute(control, 'aria-invalid', !error.hidden && 'true');
  }
  describe();

  return {
    field,
    root: element,
    read: () => readValue(field, controls),
    fill(value) {
      const texts = listOf(value);
      if (field.isMultiple) grow?.(texts.length);
      fillIn(field, controls, texts);
      describe();
    },
    isUnreadable: () => controls.some((control) => control.validity.badInput),
    setErrors(messages) {
      error.textContent = messages.join(' ');
      error.hidden = messages.length === 0;
      describe();
    },
    focus() {
      const first = controls.find((control) => isBox(control) && control.checked) ?? controls[0];
      first?.focus();
      return Boolean(first);
    },
  };
}
