import { validationSummary } from '../../src/forms/validation/entry-messages.js';
import { h } from './elements.js';
import { type Errors, messagesOf } from './entries.js';
import type { FieldView } from './fields.js';

const isShown = ({ element }: FieldView) => !element.hidden;

/** Creates the display of a form's errors: each at its field, and above them what concerns the form as a whole. */
export function createErrorDisplay(views: readonly FieldView[], locale: string) {
  const element = h('div', { class: 'fg-alert', role: 'alert', tabindex: '-1' });
  /** The fields that show an error. */
  const faulty = new Set<FieldView>();

  return {
    element,

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
        if (shown.length > 0) faulty.add(view);
        else elsewhere.push(...messages.map((message) => `${view.field.label}: ${message}`));
      }
      for (const messages of messagesFor.values()) elsewhere.push(...messages);
      const list = elsewhere.length > 0 ? h('ul', {}, ...elsewhere.map((text) => h('li', {}, text))) : '';
      element.replaceChildren(h('p', {}, validationSummary(locale)), list);
      const [first] = faulty;
      if (mayFocus && !first?.focus()) element.focus();
    },

    clearErrors(): void {
      for (const view of faulty) view.setErrors([]);
      faulty.clear();
      element.replaceChildren();
    },

    /** Takes away the errors that are mended. */
    recheck(): void {
      for (const view of faulty) {
        const messages = isShown(view) ? messagesOf(view, locale) : [];
        view.setErrors(messages);
        if (messages.length > 0) continue;
        faulty.delete(view);
        if (faulty.size === 0) element.replaceChildren();
      }
    },
  };
}
