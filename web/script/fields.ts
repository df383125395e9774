import { isAccepted, isChoice, isSwitch } from '../../src/forms/validation/sent-value.js';
import type { Field } from './definition.js';
import { h, outsideLink } from './elements.js';
import type { Words } from './words.js';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** A rendered field. */
export type FieldView = Readonly<{
  field: Field;
  element: HTMLElement;
  /** Reads the value to send; undefined means none. */
  read(): unknown;
  fill(value: unknown): void;
  /** Whether the browser holds an entry that it cannot read, such as half a date. */
  isUnreadable(): boolean;
  /** Shows messages at the field; an empty list removes them. */
  setErrors(messages: readonly string[]): void;
  /** Focuses the field; false when it has no element to focus. */
  focus(): boolean;
}>;

/**
 * Attributes that a form's author may not set on a control, because the script sets them or they would run code.
 * `pattern` is one of them, because a browser would match it at any time, however long that takes.
 */
const RESERVED =
  /^(on.*|style|srcdoc|form.*|type|name|value|id|required|multiple|checked|hidden|disabled|pattern|aria-describedby)$/i;

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);

function applyAttributes(control: Element, field: Field): void {
  for (const [name, value] of Object.entries(field.attributes)) {
    if (!RESERVED.test(name)) control.setAttribute(name, value);
  }
}

function createControl(field: Field, id: string): HTMLInputElement | HTMLTextAreaElement {
  const { name, type, placeholder, isRequired, isMultiple } = field;
  const attributes = {
    id,
    name,
    placeholder,
    required: isRequired,
    step: type === 'number' && 'any',
    multiple: type === 'email' && isMultiple,
    autocomplete: /^(email|tel|url)$/.test(type) && type,
  };
  const control =
    type === 'textarea' ? h('textarea', { rows: '5', ...attributes }) : h('input', { type, ...attributes });
  applyAttributes(control, field);
  return control;
}

function createSelect(field: Field, id: string): HTMLSelectElement {
  const { isMultiple, options } = field;
  const select = h(
    'select',
    {
      id,
      name: field.name,
      required: field.isRequired,
      multiple: isMultiple,
      size: isMultiple && String(Math.min(options.length, 6)),
    },
    isMultiple ? null : h('option', { value: '' }, field.placeholder || '—'),
    ...options.map(({ value, label }) => h('option', { value }, label)),
  );
  applyAttributes(select, field);
  return select;
}

/** Renders the mark of a required field: a visible star; screen readers get the attribute or a word instead. */
const star = (field: Field) =>
  field.isRequired ? h('span', { class: 'fg-star', 'aria-hidden': 'true' }, ' *') : null;

const moreLink = (field: Field, words: Words) =>
  field.linkUrl === null
    ? null
    : h('p', { class: 'fg-help' }, outsideLink(field.linkUrl, words.more, field.label));

/**
 * Renders a field with its label, help and error area.
 *
 * @param id the prefix of every id inside the field.
 */
export function createField(field: Field, id: string, words: Words): FieldView {
  const helpId = `${id}-help`;
  const errorId = `${id}-error`;
  const help = field.helpText ? h('p', { class: 'fg-help', id: helpId }, field.helpText) : null;
  const error = h('p', { class: 'fg-error', id: errorId, hidden: true });
  const kind = `fg-field fg-${field.type}`;
  const labelClass = field.showLabel ? 'fg-label' : 'fg-label fg-unseen';
  const unseenRequired = field.isRequired ? h('span', { class: 'fg-unseen' }, ` (${words.required})`) : null;

  let element: HTMLElement;
  /** Controls whose values make up the field's value. */
  let controls: Control[];
  /** Adds controls for that many entries, in a field that takes several. */
  let grow = (_count: number): void => undefined;
  /** Returns the elements that errors and help describe: the controls, and the group around them. */
  const described = (): Element[] => (element.tagName === 'FIELDSET' ? [element, ...controls] : controls);

  const group = (...content: (Node | null)[]) =>
    h(
      'fieldset',
      { class: kind, role: field.type === 'radio' && !field.isMultiple ? 'radiogroup' : null },
      h('legend', { class: labelClass }, field.label, star(field), unseenRequired),
      help,
      ...content,
      moreLink(field, words),
      error,
    );

  const alone = (...content: (Node | null)[]) =>
    h('div', { class: kind }, ...content, moreLink(field, words), error);

  if (field.type === 'hidden') {
    const box = h('div', { hidden: true });
    const added: Control[] = [];
    controls = added;
    element = box;
    grow = (count) => {
      while (added.length < count) added.push(h('input', { type: 'hidden', name: field.name }));
      box.replaceChildren(...added);
    };
    grow(1);
  } else if (isSwitch(field)) {
    const box = h('input', {
      type: 'checkbox',
      id,
      name: field.name,
      value: '1',
      required: field.isRequired,
    });
    applyAttributes(box, field);
    controls = [box];
    const text = h('span', { class: field.showLabel ? '' : 'fg-unseen' }, field.label, star(field));
    element = alone(h('label', { class: 'fg-choice' }, box, text), help);
  } else if (isChoice(field.type) && field.type !== 'select') {
    const isRadio = field.type === 'radio' && !field.isMultiple;
    const boxes = field.options.map(({ value }, index) => {
      const box = h('input', {
        type: isRadio ? 'radio' : 'checkbox',
        // Radios are grouped by name, and two forms of a page may have a field of the same name.
        name: isRadio ? id : field.name,
        value,
        id: `${id}-${index}`,
        required: isRadio && field.isRequired,
      });
      applyAttributes(box, field);
      // Ticking one box clears the others, and no box has to be ticked.
      if (!isRadio && !field.isMultiple) {
        box.addEventListener('change', () => {
          for (const other of boxes) if (other !== box && box.checked) other.checked = false;
        });
      }
      return box;
    });
    controls = boxes;
    element = group(
      ...boxes.map((box, index) =>
        h('label', { class: 'fg-choice' }, box, h('span', {}, field.options[index]?.label ?? '')),
      ),
    );
  } else if (field.isMultiple && field.type !== 'email' && field.type !== 'select') {
    const entries = h('div', { class: 'fg-entries' });
    const added: Control[] = [];
    controls = added;
    const add = (): Control => {
      const control = createControl(field, `${id}-${added.length}`);
      control.setAttribute('aria-label', `${field.label} ${added.length + 1}`);
      // Only the first entry is required.
      if (added.length > 0) control.removeAttribute('required');
      added.push(control);
      entries.append(control);
      return control;
    };
    add();
    grow = (count) => {
      while (added.length < count) add();
    };
    const button = h('button', { type: 'button', class: 'fg-add' }, words.add);
    button.addEventListener('click', () => {
      const control = add();
      describe();
      control.focus();
    });
    element = group(entries, button);
  } else {
    const control = field.type === 'select' ? createSelect(field, id) : createControl(field, id);
    controls = [control];
    element = alone(h('label', { class: labelClass, for: id }, field.label, star(field)), help, control);
  }

  function describe(): void {
    const ids = [help && helpId, !error.hidden && errorId].filter(Boolean).join(' ');
    for (const target of described()) {
      if (ids && (target !== element || controls.length > 0)) target.setAttribute('aria-describedby', ids);
      else target.removeAttribute('aria-describedby');
    }
    for (const control of controls) {
      if (error.hidden) control.removeAttribute('aria-invalid');
      else control.setAttribute('aria-invalid', 'true');
    }
  }
  describe();

  const isBox = (control: Control): control is HTMLInputElement =>
    control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type);

  return {
    field,
    element,
    read() {
      const [first] = controls;
      if (isSwitch(field)) return first && isBox(first) && first.checked ? 1 : undefined;
      const texts = controls.flatMap((control) => {
        if (isBox(control)) return control.checked ? [control.value] : [];
        if (control instanceof HTMLSelectElement) {
          return [...control.selectedOptions].map(({ value }) => value);
        }
        return [control.value];
      });
      const given = texts.filter((text) => text !== '');
      if (given.length === 0) return undefined;
      return field.isMultiple && field.type !== 'email' ? given : given[0];
    },
    fill(value) {
      const texts = listOf(value);
      if (field.isMultiple) grow(texts.length);
      for (const [index, control] of controls.entries()) {
        if (isBox(control)) {
          control.checked = isSwitch(field) ? isAccepted(texts[0]) : texts.includes(control.value);
        } else if (control instanceof HTMLSelectElement) {
          for (const option of control.options) option.selected = texts.includes(option.value);
        } else control.value = controls.length > 1 ? (texts[index] ?? '') : texts.join(', ');
      }
    },
    isUnreadable: () => controls.some((control) => control.validity.badInput),
    setErrors(messages) {
      error.textContent = messages.join(' ');
      error.hidden = messages.length === 0;
      describe();
    },
    focus() {
      const [first] = controls;
      if (!first || field.type === 'hidden') return false;
      (controls.find((control) => isBox(control) && control.checked) ?? first).focus();
      return true;
    },
  };
}
