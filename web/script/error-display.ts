import { validationSummary } from '../../src/forms/validation/entry-messages.js';
import { h } from './elements.js';
import { type Errors, messagesOf } from './entries.js';
import type { FieldView } from './fields.js';

const isShown = ({ root }: FieldView) => !root.hidden;

/** Describes what is entered in a field, and whether it is shown, to be compared. */
const stateOf = (view: FieldView) => JSON.stringify([isShown(view), view.read(), view.isUnreadable()]);

/** Creates the display of a form's errors: each at its field, and above them what concerns the form as a whole. */
export function createErrorDisplay(views: readonly FieldView[], locale: string) {
  const element = h('div', { class: 'fg-alert', role: 'alert', tabindex: '-1' });
  /** The fields that show an error, with the state that it is about. */
  const faulty = new Map<FieldView, string>();

  return {
    root: element,

    /** Says why the form was not sent. */
    showFailure(text: string, mayFocus: boolean): void {
      element.replaceChildren(h('p', {}, text));
      if (mayFocus) element.focus();
    },

    /** Shows each error at its field. */
    showErrors(errors: Errors, mayFocus: boolean): void {
      faulty.clear();
      const elsewhere: string[] = [];
      // Use a map, because a field's name may be `constructor`, which every object has.
      const messagesFor = new Map(Object.entries(errors));
      for (const view of views) {
        const messages = messagesFor.get(view.field.name) ?? [];
        messagesFor.delete(view.field.name);
        const shown = isShown(view) ? messages : [];
        view.setErrors(shown);
        if (shown.length > 0) faulty.set(view, stateOf(view));
        else elsewhere.push(...messages.map((message) => `${view.field.label}: ${message}`));
      }
      for (const messages of messagesFor.values()) elsewhere.push(...messages);
      const list = elsewhere.length > 0 ? h('ul', {}, ...elsewhere.map((text) => h('li', {}, text))) : '';
      element.replaceChildren(h('p', {}, validationSummary(locale)), list);
      const [first] = faulty.keys();
      if (mayFocus && !first?.focus()) element.focus();
    },

    clearErrors(): void {
      for (const view of faulty.keys()) view.setErrors([]);
      faulty.clear();
      element.replaceChildren();
    },

    /** Takes away the errors that are mended; one that only the gateway can find stays until its entry is changed. */
    recheck(): void {
      for (const [view, before] of faulty) {
        const state = stateOf(view);
        if (state === before) continue;
        const messages = isShown(view) ? messagesOf(view, locale) : [];
        view.setErrors(messages);
        faulty.set(view, state);
        if (messages.length > 0) continue;
        faulty.delete(view);
        if (faulty.size === 0) element.replaceChildren();
      }
    },
  };
}
