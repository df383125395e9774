import type { Definition } from './definition.js';
import { append, buildWrapper, createKey, h, outsideLink } from './elements.js';
import { collect, enteredIn, updateVisible, type Values, validate } from './entries.js';
import { createErrorDisplay } from './error-display.js';
import { createField, type FieldView } from './fields.js';
import { NO_ANSWER } from './gateway.js';
import { createRepetition } from './repetition.js';
import type { Sender } from './sender.js';
import { adoptStyle } from './style.js';
import { failure, type Outcome } from './submission.js';
import { failureText, type Words, wordsOf } from './words.js';

type EventName = 'ready' | 'submit' | 'success' | 'error';

/** Dispatches an event about a form to the page; false when a listener has cancelled it. */
export function emit(target: Element, name: EventName, detail: object): boolean {
  // By the method of the window, which no control's name hides.
  return dispatchEvent.call(
    target,
    new CustomEvent(`formgate:${name}`, { bubbles: true, cancelable: true, detail }),
  );
}

function privacyNotice({ text, url }: Definition['privacyNotice'], words: Words) {
  if (!text && !url) return null;
  const link = url && outsideLink(url, words.privacy);
  return h('p', { class: 'fg-privacy' }, text, text && link && ' ', link);
}

/** A form that is on the page. */
export type MountedForm = Readonly<{ element: HTMLFormElement; unmount(): void }>;

/** A rendered form, and what is entered in its fields. */
export type RenderedForm = MountedForm & Readonly<{ entered(): Values }>;

/** Creates the sender of a form; a captcha provider may show its widget in the element. */
type SenderAt = (place: HTMLElement, definition: Definition) => Sender;

/**
 * Renders a form inside an element, has it check, send and repeat what is entered, and shows what becomes of it.
 *
 * @param first The definition that it has until the gateway answers by another one.
 * @param values initial values of the fields, by name; the only source of hidden fields' values.
 * @param latest Fetches the definition as it is now; null when the form is not available.
 */
export function renderForm(
  host: Element,
  first: Definition,
  senderAt: SenderAt,
  values: Values = {},
  latest?: () => Promise<Definition | null>,
): RenderedForm {
  const form = h('form', { class: 'fg-form', dir: 'auto', novalidate: true, method: 'post' });
  const status = h('p', { class: 'fg-unseen', role: 'status' });
  const button = h('button', { type: 'submit', class: 'fg-submit' });
  let definition: Definition;
  let words: Words;
  let views: readonly FieldView[] = [];
  let errors: ReturnType<typeof createErrorDisplay>;
  let sender: Sender;
  let isBusy = false;
  let isMounted = true;
  /** The values that were sent last, as JSON. */
  let sent = '';
  const repetition = createRepetition(() => {
    if (!isMounted) return;
    if (button.isConnected) void attempt(false);
    // The page may put the form back, as with a dialog that was closed.
    else repetition.postpone();
  });

  const tell = (name: EventName, detail: object) => emit(form, name, { form: first.slug, ...detail });

  function setBusy(busy: boolean): void {
    isBusy = busy;
    button.disabled = busy;
    const text = busy ? words.sending : '';
    button.textContent = text || definition.submitButtonText;
    status.textContent = text;
  }

  /** Fills the form with the fields of a definition, in place of those before, and with what was entered in them. */
  function fill(now: Definition): void {
    const { locale, fields, appearance } = now;
    // A consent is to what was read, so one is ticked only where the field is the same as before.
    const read = JSON.stringify(views.map(({ field }) => field));
    const filled = { ...values, ...enteredIn(views) };
    definition = now;
    words = wordsOf(locale);
    // Use a random id, not a counter: the page may have the script and the module, or the script twice.
    const id = `fg-${createKey()}`;
    views = fields.map((field, index) => createField(field, `${id}-${index}`, words));
    for (const { field, fill } of views) {
      const isRead = field.type !== 'consent' || read === '[]' || read.includes(JSON.stringify(field));
      if (isRead && Object.hasOwn(filled, field.name)) fill(filled[field.name]);
    }
    updateVisible(views);
    errors = createErrorDisplay(views, locale);
    const place = h('div', { class: 'fg-captcha' });
    sender = senderAt(place, now);
    setBusy(false);
    const isAnyRequired = fields.some(({ isRequired, type }) => isRequired && type !== 'hidden');
    // Empty it first, by the method of another element: a control hides what its form has by its name.
    status.replaceChildren.call(form);
    form.lang = locale;
    for (const [name, value] of Object.entries(appearance)) {
      if (name.startsWith('--')) form.style.setProperty(name, value);
    }
    append(
      form,
      errors.root,
      ...views.map(({ root }) => root),
      isAnyRequired && h('p', { class: 'fg-note' }, `* ${words.required}`),
      privacyNotice(now.privacyNotice, words),
      place,
      button,
      status,
    );
  }

  /** Shows what became of a submission; only one that the visitor asked for takes the focus from the page. */
  function showOutcome(outcome: Outcome, isOwn: boolean): void {
    setBusy(false);
    if (outcome.ok) {
      const message = h('p', { class: 'fg-message', role: 'status', tabindex: '-1' }, outcome.message);
      const mayFocus = isOwn || button.closest('.fg-form:focus-within');
      // There is nothing more to prepare or to repeat.
      isBusy = true;
      repetition.callOff();
      // By the method of another element, as no control's name hides it.
      message.replaceChildren.call(form, message);
      if (mayFocus) message.focus();
      tell('success', outcome);
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
      const told = isAway ? 'unreachable' : reason;
      errors.showFailure(failureText(told, waitS, definition.locale), isOwn);
    }
    tell('error', { ...outcome, message: errors.root.textContent });
  }

  /**
   * Checks what is entered and sends it.
   *
   * @param isOwn whether the visitor has asked for it; otherwise it repeats a submission that was not answered.
   */
  async function submit(isOwn: boolean): Promise<void> {
    if (isBusy) return;
    const { locale } = definition;
    // The page may have filled in a field without an event.
    updateVisible(views);
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
      if (!tell('submit', { values: { ...values } })) return;
    }
    sent = text;
    setBusy(true);
    const outcome = await sender.send(values, locale);
    // What the page's checks do not find: the form may have been edited. Only a click may replace its fields.
    const now = isOwn && outcome.reason === 'invalid' && (await latest?.().catch(() => null));
    if (now && JSON.stringify(now) !== JSON.stringify(definition)) {
      fill(now);
      tell('ready', { locale: now.locale });
    }
    showOutcome(outcome, isOwn);
  }

  /** Submits, and tells the visitor also of an error that no code expects, as where the page has replaced a function. */
  const attempt = (isOwn: boolean) =>
    submit(isOwn).catch((error) => {
      console.error(`Formgate: the form "${first.slug}" failed.`, error);
      showOutcome(failure(NO_ANSWER, 'refused'), isOwn);
    });

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
    void attempt(true);
  });
  fill(first);

  const { root, slot } = buildWrapper(first.htmlWrapper ?? '');
  slot.appendChild(form);
  const inserted = [...root.childNodes];
  // By the attribute a copy of them is known.
  for (const element of root.children as Iterable<HTMLElement>) element.dataset.fg = '';
  host.append(root);
  adoptStyle(host.getRootNode());
  tell('ready', { locale: first.locale });
  return {
    element: form,
    entered: () => enteredIn(views),
    unmount() {
      isMounted = false;
      // Moves the nodes out of the page: a control that is named `remove` hides the method of its form.
      h('div').append(...inserted);
    },
  };
}
