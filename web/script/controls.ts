import { isChoice, isSwitch } from '../../src/forms/validation/sent-value.js';
import type { Field } from './definition.js';
import { type Attributes, type Content, h } from './elements.js';
import type { Words } from './words.js';

export type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The parts of a field: its heading, which help follows, what follows that, and the controls within. */
type FieldParts = Readonly<{
  /** A `legend` for several controls; null for a field that is not shown. */
  heading: HTMLElement | null;
  content: readonly HTMLElement[];
  /** Their values make up the value of the field. */
  controls: readonly Control[];
  /** Adds controls until there are so many, in a field that takes several values. */
  grow?(count: number): void;
}>;

/** Whether one of the options of a field is chosen by radio buttons. */
export const isRadioGroup = ({ type, isMultiple }: Field): boolean => type === 'radio' && !isMultiple;

/**
 * Attributes that a form's author may not set on a control, because the script sets them or they would run code.
 * `pattern` is one of them, because a browser would match it at any time, however long that takes.
 */
const RESERVED =
  /^(on.*|style|srcdoc|form.*|type|name|value|id|required|multiple|checked|hidden|disabled|pattern|aria-describedby)$/i;

/** Creates a control with the attributes that its author has given it. */
function createControl<Name extends 'input' | 'select' | 'textarea'>(
  name: Name,
  field: Field,
  attributes: Attributes,
  ...content: Content[]
): HTMLElementTagNameMap[Name] {
  const control = h(name, { name: field.name, required: field.isRequired, ...attributes }, ...content);
  for (const [key, value] of Object.entries(field.attributes)) {
    if (!RESERVED.test(key)) control.setAttribute(key, value);
  }
  return control;
}

function createInput(field: Field, id: string): Control {
  const { type, placeholder, isMultiple } = field;
  const attributes = {
    id,
    placeholder,
    step: type === 'number' && 'any',
    multiple: type === 'email' && isMultiple,
    autocomplete: /^(email|tel|url)$/.test(type) && type,
  };
  return type === 'textarea'
    ? createControl('textarea', field, { rows: '5', ...attributes })
    : createControl('input', field, { type, ...attributes });
}

const createSelect = (field: Field, id: string): Control =>
  createControl(
    'select',
    field,
    {
      id,
      multiple: field.isMultiple,
      size: field.isMultiple && String(Math.min(field.options.length, 6)),
    },
    !field.isMultiple && h('option', { value: '' }, field.placeholder || '—'),
    ...field.options.map(({ value, label }) => h('option', { value }, label)),
  );

/** Creates a box or a radio button beside its label. */
const beside = (box: Control, ...label: Content[]) => h('label', { class: 'fg-choice' }, box, ...label);

/** Renders the name of a field, with the mark of a required one: screen readers get the attribute or a word instead. */
const nameOf = ({ label, isRequired }: Field) => [
  label,
  isRequired && h('span', { class: 'fg-star', 'aria-hidden': 'true' }, ' *'),
];

const labelClassOf = ({ showLabel }: Field) => (showLabel ? 'fg-label' : 'fg-label fg-unseen');

const legendOf = (field: Field, words: Words) =>
  h(
    'legend',
    { class: labelClassOf(field) },
    ...nameOf(field),
    field.isRequired && h('span', { class: 'fg-unseen' }, ` (${words.required})`),
  );

/** Builds inputs that only the page fills. */
function buildHidden({ name }: Field): FieldParts {
  const box = h('div', { hidden: true });
  const controls: Control[] = [];
  const grow = (count: number) => {
    while (controls.length < count) controls.push(h('input', { type: 'hidden', name }));
    box.append(...controls);
  };
  grow(1);
  return { heading: null, content: [box], controls, grow };
}

/** Builds a box to tick, with the name of the field beside it. */
function buildSwitch(field: Field, id: string): FieldParts {
  const box = createControl('input', field, { type: 'checkbox', id, value: '1' });
  const text = h('span', { class: field.showLabel ? '' : 'fg-unseen' }, ...nameOf(field));
  return { heading: beside(box, text), content: [], controls: [box] };
}

/** Builds boxes or radio buttons, one for each option. */
function buildChoices(field: Field, id: string, words: Words): FieldParts {
  const isRadio = isRadioGroup(field);
  const controls = field.options.map(({ value }, index) =>
    createControl('input', field, {
      type: isRadio ? 'radio' : 'checkbox',
      // Radios are grouped by name, and two forms of a page may have a field of the same name.
      name: isRadio ? id : field.name,
      value,
      id: `${id}-${index}`,
      required: isRadio && field.isRequired,
    }),
  );
  // Ticking one box clears the others, and no box has to be ticked.
  if (!isRadio && !field.isMultiple) {
    for (const box of controls) {
      box.addEventListener('change', () => {
        for (const other of controls) if (other !== box && box.checked) other.checked = false;
      });
    }
  }
  const content = controls.map((box, index) => beside(box, h('span', {}, field.options[index]!.label)));
  return { heading: legendOf(field, words), content, controls };
}

/** Builds inputs, one for each value, and a button that adds one. */
function buildEntries(field: Field, id: string, words: Words, onAdd: () => void): FieldParts {
  const entries = h('div', { class: 'fg-entries' });
  const controls: Control[] = [];
  const grow = (count: number) => {
    while (controls.length < count) {
      const control = createInput(field, `${id}-${controls.length}`);
      // Only the first entry is required.
      if (controls.length > 0) control.removeAttribute('required');
      control.setAttribute('aria-label', `${field.label} ${controls.push(control)}`);
      entries.append(control);
    }
  };
  grow(1);
  const button = h('button', { type: 'button', class: 'fg-add' }, words.add);
  button.addEventListener('click', () => {
    grow(controls.length + 1);
    onAdd();
    controls.at(-1)!.focus();
  });
  return { heading: legendOf(field, words), content: [entries, button], controls, grow };
}

/** Builds a single control below its label. */
function buildSingle(field: Field, id: string): FieldParts {
  const control = field.type === 'select' ? createSelect(field, id) : createInput(field, id);
  const heading = h('label', { class: labelClassOf(field), for: id }, ...nameOf(field));
  return { heading, content: [control], controls: [control] };
}

/**
 * Builds the parts of a field by its type.
 *
 * @param id the prefix of every id inside the field.
 * @param onAdd called when the visitor has added a control.
 */
export function buildParts(field: Field, id: string, words: Words, onAdd: () => void): FieldParts {
  const { type, isMultiple } = field;
  if (type === 'hidden') return buildHidden(field);
  if (isSwitch(field)) return buildSwitch(field, id);
  if (type === 'select') return buildSingle(field, id);
  if (isChoice(type)) return buildChoices(field, id, words);
  return isMultiple && type !== 'email' ? buildEntries(field, id, words, onAdd) : buildSingle(field, id);
}
