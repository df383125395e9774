import { visibleFields } from '../../src/forms/definition/conditions.js';
import { entryMessage, type ValidationFault } from '../../src/forms/validation/entry-messages.js';
import { readField } from '../../src/forms/validation/field-value.js';
import { isQuick } from './backtracking.js';
import type { FieldView } from './fields.js';

/** Values of fields, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Messages about fields, by name. */
export type Errors = Readonly<Record<string, readonly string[]>>;

/**
 * Checks a `pattern` as the gateway does; one that the browser does not support refuses nothing. When matching could
 * hang the page, the gateway alone decides.
 */
function checkPattern(pattern: string, text: string): 'pattern' | null {
  for (const flag of isQuick(pattern, text.length) ? 'vu' : '') {
    try {
      return new RegExp(`^(?:${pattern})$`, flag).test(text) ? null : 'pattern';
    } catch {
      // Try the next flag, if there is one.
    }
  }
  return null;
}

/** Returns what is wrong with the entry in a field. */
export function messagesOf(view: FieldView, locale: string): string[] {
  const { field } = view;
  const unreadable = view.isUnreadable() ? ([{ code: field.type }] as ValidationFault[]) : undefined;
  const faults = unreadable ?? readField(field, view.read(), checkPattern).faults ?? [];
  return faults.map((fault) => entryMessage(fault, locale));
}

/** Reads the values of all fields, hidden ones included. */
export const enteredIn = (views: readonly FieldView[]): Values =>
  Object.fromEntries(views.map(({ field, read }) => [field.name, read()]));

/** Lists the fields that the conditions let appear. */
function visibleOf(views: readonly FieldView[]): FieldView[] {
  const visible = visibleFields(
    views.map(({ field }) => field),
    enteredIn(views),
  );
  return views.filter(({ field }) => visible.has(field.name));
}

/** Shows and hides the fields by their conditions. */
export function updateVisible(views: readonly FieldView[]): void {
  const visible = visibleOf(views);
  for (const view of views) {
    if (view.field.type !== 'hidden') view.root.hidden = !visible.includes(view);
  }
}

/** Collects the values to send: those of the visible fields that are not empty. */
export const collect = (views: readonly FieldView[]): Values =>
  Object.fromEntries(Object.entries(enteredIn(visibleOf(views))).filter(([, value]) => value !== undefined));

/** Checks what is entered in the visible fields. */
export const validate = (views: readonly FieldView[], locale: string): Errors =>
  Object.fromEntries(
    visibleOf(views)
      .map((view): [string, string[]] => [view.field.name, messagesOf(view, locale)])
      .filter(([, messages]) => messages.length > 0),
  );
