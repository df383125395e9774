import { TAKING_OPTIONS } from '../../../../../src/forms/definition/form-faults.js';
import type { FieldDraft } from '../form-draft.js';

export type FieldType = FieldDraft['type'];

/** What the panel has an input of its own for; any other attribute is set by its name. */
export const ATTRIBUTES = [
  'minlength',
  'maxlength',
  'min',
  'max',
  'step',
  'rows',
  'pattern',
  'autocomplete',
] as const;
export type Attribute = (typeof ATTRIBUTES)[number];

const TEXT: readonly Attribute[] = ['minlength', 'maxlength', 'pattern', 'autocomplete'];
const SCALE: readonly Attribute[] = ['min', 'max', 'step'];

/** The attributes that mean something for a type. */
const OF_TYPE: Readonly<Record<FieldType, readonly Attribute[]>> = {
  text: TEXT,
  tel: TEXT,
  url: TEXT,
  email: TEXT,
  textarea: ['minlength', 'maxlength', 'rows', 'autocomplete'],
  number: SCALE,
  date: SCALE,
  time: SCALE,
  select: ['autocomplete'],
  radio: [],
  checkbox: [],
  consent: [],
  hidden: [],
};

const TYPED: readonly FieldType[] = ['text', 'textarea', 'email', 'tel', 'url', 'number'];

/** The attributes that a field's type offers. */
export const attributesOf = (type: FieldType): readonly Attribute[] => OF_TYPE[type];

/** Whether an attribute has no meaning for a type, though it has one for another. */
export const isOfOtherType = (name: string, type: FieldType): boolean =>
  ATTRIBUTES.some((one) => one === name) && !OF_TYPE[type].some((one) => one === name);

/** Whether fields of a type may have options. */
export const takesOptions = (type: FieldType): boolean => TAKING_OPTIONS.includes(type);

/** Whether a field has a text inside while it is empty. */
export const takesPlaceholder = (type: FieldType): boolean => type === 'select' || TYPED.includes(type);

/** Whether visitors see a field. */
export const isSeen = (type: FieldType): boolean => type !== 'hidden';

/** Whether a field may take several values. */
export const takesSeveral = ({ type, options }: Pick<FieldDraft, 'type' | 'options'>): boolean =>
  type === 'select' || (type === 'checkbox' ? options.length > 0 : TYPED.includes(type));
