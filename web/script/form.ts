import { visibleFields } from '../../src/forms/definition/conditions.js';
import {
  entryMessage,
  type ValidationFault,
  validationSummary,
} from '../../src/forms/validation/entry-messages.js';
import { readField } from '../../src/forms/validation/field-value.js';
import { isQuick } from './backtracking.js';
import type { Definition } from './definition.js';
import { buildWrapper, h, outsideLink } from './elements.js';
import { createField, type FieldView } from './fields.js';
import { NO_ANSWER, nextPauseS } from './gateway.js';
import type { Sender } from './sender.js';
import { adoptStyle } from './style.js';
import { failure, type Outcome } from './submission.js';
import { failureText, wordsOf } from './words.js';

type Errors = Record<string, readonly string[]>;

/** Dispatches an event about a form to the page; false when a listener has cancelled it. */
export function emit(
  target: Element,
  name: 'ready' | 'submit' | 'success' | 'error',
  detail: object,
): boolean {
  const cancelable = name === 'submit';
  return target.dispatchEvent(new CustomEvent(`formgate:${name}`, { bubbles: true, cancelable, detail }));
}

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

/** Debounces a repetition after a change in the form, so that nothing half typed is sent. */
const DEBOUNCE_MS = 5_000;

function privacyNotice({ text, url }: Definition['privacyNotice'], words: ReturnType<typeof wordsOf>) {
  if (text === null && url === null) return null;
  const link = url === null ? null : outsideLink(url, words.privacy);
  return h('p', { class: 'fg-privacy' }, text, text && link ? ' ' : null, link);
}

/** A form that is on the page. */
export type MountedForm = Readonly<{ element: HTMLFormElement; unmount(): void }>;

/** A rendered form; `entered` returns the values of all its fields by name, hidden ones included. */
export type RenderedForm = MountedForm & Readonly<{ entered(): Record<string, unknown> }>;

/**
 * Renders a form inside an element and attaches its behaviour.
 *
 * @param senderAt Creates the form's sender; a captcha provider may show its widget in the element.
 * @param values initial values of the fields, by name; the only source of hidden fields' values.
 */
export function renderForm(
  host: Element,
  definition: Definition,
  senderAt: (place: HTMLElement) => Sender,
  values: Readonly<Record<string, unknown>> = {},
): RenderedForm {
  const { slug, locale } = definition;
  const words = wordsOf(locale);
  // Use a random id, not a counter: the page may have the script and the module, or the script twice.
  const id = `fg-${Math.random().toString(36).slice(2)}`;
  const views: FieldView[] = definition.fields.map((field, index) =>
    createField(field, `${id}-${index}`, words),
  );
  const alert = h('div', { class: 'fg-alert', role: 'alert', tabindex: '-1' });
  const status = h('p', { class: 'fg-unseen', role: 'status' });
  const place = h('div', { class: 'fg-captcha' });
  const button = h('button', { type: 'submit', class: 'fg-submit' }, definition.submitButtonText);
  const isAnyRequired = definition.fields.some(({ isRequired, type }) => isRequired && type !== 'hidden');
  const form = h(
    'form',
    { class: 'fg-form', lang: locale, dir: 'auto', novalidate: true, method: 'post' },
    alert,
    ...views.map(({ element }) => element),
    isAnyRequired ? h('p', { class: 'fg-note' }, `* ${words.required}`) : null,
    privacyNotice(definition.privacyNotice, words),
    place,
    button,
    status,
  );
  for (const [name, value] of Object.entries(definition.appearance)) {
    if (name.startsWith('--')) form.style.setProperty(name, value);
  }
  for (const { field, fill } of views) {
    if (Object.hasOwn(values, field.name)) fill(values[field.name]);
  }

  const sender = senderAt(place);
  let isBusy = false;
  /** The values that were sent last, as JSON. */
  let sent = '';
  /** Pause before the last repetition, in seconds. */
  let pauseS = 1;
  /** The repetition to come, if there is one, and its time. */
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryAt = 0;
  /** The fields that show an error. */
  const faulty = new Set<FieldView>();
  const isShown = ({ element }: FieldView) => !element.hidden;

  const entered = () => Object.fromEntries(views.map(({ field, read }) => [field.name, read()]));
  /** The names of the fields that the conditions let appear. */
  const visibleNow = () => visibleFields(definition.fields, entered());

  function update(): void {
    const visible = visibleNow();
    for (const { field, element } of views) {
      if (field.type !== 'hidden') element.hidden = !visible.has(field.name);
    }
  }

  /** Collects the values to send: those of the visible fields that are not empty. */
  function collect(): Record<string, unknown> {
    const visible = visibleNow();
    return Object.fromEntries(
      Object.entries(entered()).filter(([name, value]) => value !== undefined && visible.has(name)),
    );
  }

  function messagesOf(view: FieldView): string[] {
    const { field } = view;
    const unreadable = view.isUnreadable() ? ([{ code: field.type }] as ValidationFault[]) : undefined;
    const faults = unreadable ?? readField(field, view.read(), checkPattern).faults ?? [];
    return faults.map((fault) => entryMessage(fault, locale));
  }

  function validate(): Errors {
    const visible = visibleNow();
    const checked = views.filter(({ field }) => visible.has(field.name));
    const found = checked.map((view): [string, string[]] => [view.field.name, messagesOf(view)]);
    return Object.fromEntries(found.filter(([, messages]) => messages.length > 0));
  }

  /** Shows each error at its field. */
  function showErrors(errors: Errors, mayFocus: boolean): void {
    faulty.clear();
    const elsewhere: string[] = [];
    // Use a map, because a field's name may be `constructor`, which every object has.
    const messagesFor = new Map(Object.entries(errors));
    for (const view of views) {
      const messages = messagesFor.get(view.field.name) ?? [];
      messagesFor.delete(view.field.name);
      view.setErrors(isShown(view) ? messages : []);
      if (messages.length > 0 && isShown(view)) faulty.add(view);
      else elsewhere.push(...messages.map((message) => `${view.field.label}: ${message}`));
    }
    for (const messages of messagesFor.values()) elsewhere.push(...messages);
    const list = elsewhere.length > 0 ? h('ul', {}, ...elsewhere.map((text) => h('li', {}, text))) : '';
    alert.replaceChildren(h('p', {}, validationSummary(locale)), list);
    const [first] = faulty;
    if (mayFocus && !first?.focus()) alert.focus();
  }

  function clearErrors(): void {
    for (const view of faulty) view.setErrors([]);
    faulty.clear();
    alert.replaceChildren();
  }

  function onInput(): void {
    // The visitor was told that it will be sent again, and goes on typing.
    if (retry) repeatIn(DEBOUNCE_MS);
    sender.prepare();
    update();
    if (faulty.size === 0) return;
    for (const view of faulty) {
      const messages = isShown(view) ? messagesOf(view) : [];
      view.setErrors(messages);
      if (messages.length === 0) faulty.delete(view);
    }
    if (faulty.size === 0) alert.replaceChildren();
  }

  function setBusy(busy: boolean): void {
    isBusy = busy;
    button.disabled = busy;
    button.textContent = busy ? words.sending : definition.submitButtonText;
    status.textContent = busy ? words.sending : '';
  }

  /** Repeats the submission after a pause, and not before the time of a repetition to come. */
  function repeatIn(ms: number): void {
    clearTimeout(retry);
    retryAt = Math.max(retryAt, Date.now() + ms);
    retry = setTimeout(() => form.isConnected && void submit(false), retryAt - Date.now());
  }

  /** Shows what became of a submission; only one that the visitor asked for takes the focus from the page. */
  function showOutcome(outcome: Outcome, isOwn: boolean): void {
    if (outcome.ok) {
      const message = h('p', { class: 'fg-message', role: 'status', tabindex: '-1' }, outcome.message);
      const mayFocus = isOwn || form.matches(':focus-within');
      // There is nothing more to prepare.
      isBusy = true;
      form.replaceChildren(message);
      if (mayFocus) message.focus();
      emit(form, 'success', { form: slug, ...outcome });
      return;
    }
    const { reason, errors, waitS } = outcome;
    if (reason === 'invalid') showErrors(errors, isOwn);
    else {
      const isAway = reason === 'unreachable' || reason === 'unavailable';
      if (isAway) {
        // The idempotency key makes a repetition safe when only the answer was lost.
        pauseS = nextPauseS(pauseS, waitS);
        repeatIn(pauseS * 1000);
      }
      const text = failureText({ reason: isAway ? 'unreachable' : reason, waitS }, locale);
      alert.replaceChildren(h('p', {}, text));
      if (isOwn) alert.focus();
    }
    emit(form, 'error', { form: slug, ...outcome, message: alert.textContent });
  }

  /**
   * Checks what is entered and sends it.
   *
   * @param isOwn whether the visitor has asked for it; otherwise it repeats a submission that was not answered.
   */
  async function submit(isOwn: boolean): Promise<void> {
    if (isBusy) return;
    clearTimeout(retry);
    retry = undefined;
    const errors = validate();
    if (Object.keys(errors).length > 0) {
      showOutcome({ ...failure(NO_ANSWER, 'invalid'), errors }, isOwn);
      return;
    }
    const values = collect();
    const text = JSON.stringify(values);
    if (isOwn || text !== sent) {
      clearErrors();
      if (!emit(form, 'submit', { form: slug, values: { ...values } })) return;
    }
    sent = text;
    setBusy(true);
    const outcome = await sender.send(values, locale);
    setBusy(false);
    showOutcome(outcome, isOwn);
  }

  form.addEventListener('input', onInput);
  form.addEventListener('change', onInput);
  form.addEventListener('focusin', () => isBusy || sender.prepare());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(true);
  });
  update();

  const { root, slot } = buildWrapper(definition.htmlWrapper ?? '');
  slot.appendChild(form);
  const inserted = [...root.childNodes];
  host.append(root);
  adoptStyle(host.getRootNode());
  emit(form, 'ready', { form: slug, locale });
  return {
    element: form,
    entered,
    unmount() {
      for (const node of inserted) node.parentNode?.removeChild(node);
    },
  };
}
