import type { Definition } from './definition.js';
import { append, buildWrapper, createKey, h, outsideLink } from './elements.js';
import { collect, updateVisible, type Values, validate } from './entries.js';
import { createErrorDisplay } from './error-display.js';
import { createField, type FieldView } from './fields.js';
import { NO_ANSWER } from './gateway.js';
import { createRepetition } from './repetition.js';
import type { Sender } from './sender.js';
import { adoptStyle } from './style.js';
import { failure, type Outcome } from './submission.js';
import { failureText, type Words, wordsOf } from './words.js';

/** Dispatches an event about a form to the page; false when a listener has cancelled it. */
export function emit(
  target: Element,
  name: 'ready' | 'submit' | 'success' | 'error',
  detail: object,
): boolean {
  const cancelable = name === 'submit';
  // By the method of the window, which no control's name hides.
  return dispatchEvent.call(
    target,
    new CustomEvent(`formgate:${name}`, { bubbles: true, cancelable, detail }),
  );
}

function privacyNotice({ text, url }: Definition['privacyNotice'], words: Words) {
  if (!text && !url) return null;
  const link = url && outsideLink(url, words.privacy);
  return h('p', { class: 'fg-privacy' }, text, text && link && ' ', link);
}

/** A form that is on the page. */
export type MountedForm = Readonly<{ element: HTMLFormElement; unmount(): void }>;

/** A rendered form with its fields. */
export type RenderedForm = MountedForm & Readonly<{ views: readonly FieldView[] }>;

/** What a form consists of. */
type Parts = Readonly<{
  form: HTMLFormElement;
  views: readonly FieldView[];
  errors: ReturnType<typeof createErrorDisplay>;
  button: HTMLButtonElement;
  status: HTMLElement;
}>;

/** Builds the form element around its fields. */
function build(definition: Definition, words: Words, place: HTMLElement): Parts {
  const { locale, fields, appearance } = definition;
  // Use a random id, not a counter: the page may have the script and the module, or the script twice.
  const id = `fg-${createKey()}`;
  const views = fields.map((field, index) => createField(field, `${id}-${index}`, words));
  const errors = createErrorDisplay(views, locale);
  const button = h('button', { type: 'submit', class: 'fg-submit' }, definition.submitButtonText);
  const status = h('p', { class: 'fg-unseen', role: 'status' });
  const isAnyRequired = fields.some(({ isRequired, type }) => isRequired && type !== 'hidden');
  const form = h('form', { class: 'fg-form', lang: locale, dir: 'auto', novalidate: true, method: 'post' });
  for (const [name, value] of Object.entries(appearance)) {
    if (name.startsWith('--')) form.style.setProperty(name, value);
  }
  append(
    form,
    errors.root,
    ...views.map(({ root }) => root),
    isAnyRequired && h('p', { class: 'fg-note' }, `* ${words.required}`),
    privacyNotice(definition.privacyNotice, words),
    place,
    button,
    status,
  );
  return { form, views, errors, button, status };
}

/**
 * Has a form check, send and repeat what is entered, and show what becomes of it.
 *
 * @returns a function that ends the repetition for good.
 */
function attach(
  { form, views, errors, button, status }: Parts,
  { slug, locale, submitButtonText }: Definition,
  words: Words,
  sender: Sender,
): () => void {
  let isBusy = false;
  let isMounted = true;
  /** The values that were sent last, as JSON. */
  let sent = '';
  const repetition = createRepetition(() => {
    if (!isMounted) return;
    if (button.isConnected) void submit(false);
    // The page may put the form back, as with a dialog that was closed.
    else repetition.postpone();
  });

  function setBusy(busy: boolean): void {
    isBusy = busy;
    button.disabled = busy;
    const text = busy ? words.sending : '';
    button.textContent = text || submitButtonText;
    status.textContent = text;
  }

  /** Shows what became of a submission; only one that the visitor asked for takes the focus from the page. */
  function showOutcome(outcome: Outcome, isOwn: boolean): void {
    if (outcome.ok) {
      const message = h('p', { class: 'fg-message', role: 'status', tabindex: '-1' }, outcome.message);
      const mayFocus = isOwn || button.closest('.fg-form:focus-within');
      // There is nothing more to prepare.
      isBusy = true;
      // By the method of another element, as no control's name hides it.
      message.replaceChildren.call(form, message);
      if (mayFocus) message.focus();
      emit(form, 'success', { form: slug, ...outcome });
      return;
    }
    const { reason, waitS } = outcome;
    if (reason === 'invalid') errors.showErrors(outcome.errors, isOwn);
    else {
      // Unreachable, unavailable, or too many of the repetitions, of which the visitor was told.
      const isAway = (isOwn ? /^un/ : /^un|_many/).test(reason);
      // The idempotency key makes a repetition safe when only the answer was lost.
      if (isAway) repetition.repeatAfter(waitS);
      else repetition.callOff();
      errors.showFailure(failureText({ reason: isAway ? 'unreachable' : reason, waitS }, locale), isOwn);
    }
    emit(form, 'error', { form: slug, ...outcome, message: errors.root.textContent });
  }

  /**
   * Checks what is entered and sends it.
   *
   * @param isOwn whether the visitor has asked for it; otherwise it repeats a submission that was not answered.
   */
  async function submit(isOwn: boolean): Promise<void> {
    if (isBusy) return;
    const found = validate(views, locale);
    if (Object.keys(found).length > 0) {
      showOutcome({ ...failure(NO_ANSWER, 'invalid'), errors: found }, isOwn);
      return;
    }
    if (isOwn) repetition.callOff();
    const values = collect(views);
    const text = JSON.stringify(values);
    if (isOwn || text !== sent) {
      errors.clearErrors();
      if (!emit(form, 'submit', { form: slug, values: { ...values } })) return;
    }
    sent = text;
    setBusy(true);
    const outcome = await sender.send(values, locale);
    setBusy(false);
    showOutcome(outcome, isOwn);
  }

  function onInput(): void {
    repetition.postpone();
    sender.prepare();
    updateVisible(views);
    errors.recheck();
  }

  // By the method of the window: a control that is named like a method hides that of its form.
  const on = (type: string, listener: (event: Event) => void) => addEventListener.call(form, type, listener);
  on('input', onInput);
  on('change', onInput);
  on('focusin', () => isBusy || sender.prepare());
  on('submit', (event) => {
    event.preventDefault();
    void submit(true);
  });
  return () => {
    isMounted = false;
  };
}

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
  values: Values = {},
): RenderedForm {
  const { slug, locale } = definition;
  const words = wordsOf(locale);
  const place = h('div', { class: 'fg-captcha' });
  const parts = build(definition, words, place);
  const { form, views } = parts;
  for (const { field, fill } of views) {
    if (Object.hasOwn(values, field.name)) fill(values[field.name]);
  }
  const endRepetition = attach(parts, definition, words, senderAt(place));
  updateVisible(views);

  const { root, slot } = buildWrapper(definition.htmlWrapper ?? '');
  slot.appendChild(form);
  const inserted = [...root.childNodes];
  host.append(root);
  adoptStyle(host.getRootNode());
  emit(form, 'ready', { form: slug, locale });
  return {
    element: form,
    views,
    unmount() {
      endRepetition();
      // Moves the nodes out of the page: a control that is named `remove` hides the method of its form.
      h('div').append(...inserted);
    },
  };
}
