import { visibleFields } from '../../src/forms/definition/conditions.js';
import {
  entryMessage,
  type ValidationFault,
  validationSummary,
} from '../../src/forms/validation/entry-messages.js';
import { readField } from '../../src/forms/validation/field-value.js';
import { isQuick } from './backtracking.js';
import { createSolver } from './captcha.js';
import type { Definition } from './definition.js';
import { buildWrapper, h, outsideLink } from './elements.js';
import { createField, type FieldView } from './fields.js';
import { type Gateway, NO_ANSWER } from './gateway.js';
import { createPreparation } from './preparation.js';
import { adoptStyle } from './style.js';
import { failure, type Outcome, send } from './submission.js';
import { contextFields } from './visitor.js';
import { failureText, wordsOf } from './words.js';

/** The website that a form belongs to. */
export type Site = Readonly<{
  gateway: Gateway;
  website: string;
  /** Nonce of the page's content security policy; empty means none. */
  nonce: string;
}>;

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

/** Longest pause between two attempts at a gateway that is away, unless it asks for a longer one. */
const MAX_PAUSE_S = 60;

/** Creates an idempotency key that is unique on the website; `randomUUID` requires https. */
const createKey = (): string => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

export type Sender = Readonly<{
  /** Prepares a submission; called whenever the visitor acts on the form. */
  prepare(): void;
  /** Sends the values of a form in a language. */
  send(values: Readonly<Record<string, unknown>>, locale: string): Promise<Outcome>;
}>;

/** Tells whether the visitor has asked for less data; few browsers know. */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData ?? false;

/**
 * Creates a sender of values. It reuses the idempotency key while the values stay the same, so that a submission whose
 * answer was lost is not recorded twice.
 *
 * @param place where a captcha provider may show its widget.
 */
export function createSender({ gateway, website, nonce }: Site, slug: string, place: HTMLElement): Sender {
  const solve = createSolver({ gateway, place, nonce });
  const preparation = createPreparation({ gateway, slug, solve });
  let last = { body: '', key: '' };

  return {
    prepare() {
      if (!savesData()) preparation.start();
    },
    async send(values, locale) {
      const prepared = preparation.take();
      const body = { ...values, ...(await contextFields(website, locale)) };
      const text = JSON.stringify(body);
      if (text !== last.body) last = { body: text, key: createKey() };
      const outcome = await send({ gateway, slug, body, idempotencyKey: last.key, prepared, solve });
      if (!outcome.ok) {
        const { reason, status, code } = outcome;
        console.error(`Formgate: the form "${slug}" was not sent: ${reason}, ${status} ${code ?? ''}`);
      }
      return outcome;
    },
  };
}

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
  /** Pause before the last repetition, in seconds; the next one is twice as long. */
  let pauseS = 1;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** The fields that show an error. */
  const faulty = new Set<FieldView>();
  const isShown = ({ element, field }: FieldView) => field.type === 'hidden' || !element.hidden;

  const entered = () => Object.fromEntries(views.map(({ field, read }) => [field.name, read()]));

  function update(): void {
    const visible = visibleFields(definition.fields, entered());
    for (const { field, element } of views) {
      if (field.type !== 'hidden') element.hidden = !visible.has(field.name);
    }
  }

  /** Collects the values to send: those of the visible fields that are not empty. */
  function collect(): Record<string, unknown> {
    const read = entered();
    const visible = visibleFields(definition.fields, read);
    return Object.fromEntries(
      Object.entries(read).filter(([name, value]) => value !== undefined && visible.has(name)),
    );
  }

  function messagesOf(view: FieldView): string[] {
    const { field } = view;
    const unreadable = view.isUnreadable() ? ([{ code: field.type }] as ValidationFault[]) : undefined;
    const faults = unreadable ?? readField(field, view.read(), checkPattern).faults ?? [];
    return faults.map((fault) => entryMessage(fault, locale));
  }

  function validate(): Errors {
    const visible = visibleFields(definition.fields, entered());
    const checked = views.filter(({ field }) => visible.has(field.name));
    const found = checked.map((view): [string, string[]] => [view.field.name, messagesOf(view)]);
    return Object.fromEntries(found.filter(([, messages]) => messages.length > 0));
  }

  /** Shows each error at its field, and focuses the first faulty field. */
  function showErrors(errors: Errors): void {
    faulty.clear();
    const elsewhere: string[] = [];
    // Use a map, because a field's name may be `constructor`, which every object has.
    const messagesFor = new Map(Object.entries(errors));
    for (const view of views) {
      const messages = messagesFor.get(view.field.name) ?? [];
      const hasPlace = isShown(view) && view.field.type !== 'hidden';
      view.setErrors(hasPlace ? messages : []);
      if (messages.length > 0 && hasPlace) faulty.add(view);
      else elsewhere.push(...messages.map((message) => `${view.field.label}: ${message}`));
    }
    const names = new Set(views.map(({ field }) => field.name));
    for (const [name, messages] of messagesFor) if (!names.has(name)) elsewhere.push(...messages);
    const list = elsewhere.length > 0 ? h('ul', {}, ...elsewhere.map((text) => h('li', {}, text))) : '';
    alert.replaceChildren(h('p', {}, validationSummary(locale)), list);
    const [first] = faulty;
    if (!first?.focus()) alert.focus();
  }

  function clearErrors(): void {
    for (const view of faulty) view.setErrors([]);
    faulty.clear();
    alert.replaceChildren();
  }

  function onInput(): void {
    // What is being changed is sent with the next click.
    clearTimeout(retry);
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

  function showOutcome(outcome: Outcome): void {
    if (outcome.ok) {
      const message = h('p', { class: 'fg-message', role: 'status', tabindex: '-1' }, outcome.message);
      // The message takes the focus, and there is nothing more to prepare.
      isBusy = true;
      form.replaceChildren(message);
      message.focus();
      emit(form, 'success', { form: slug, ...outcome });
      return;
    }
    const { reason, errors, waitS } = outcome;
    if (reason === 'invalid') showErrors(errors);
    else {
      const isAway = reason === 'unreachable' || reason === 'unavailable';
      if (isAway) {
        // The idempotency key makes a repetition safe when only the answer was lost.
        pauseS = Math.max(Math.min(pauseS * 2, MAX_PAUSE_S), waitS ?? 0);
        retry = setTimeout(retryNow, pauseS * 1000);
      }
      const text = failureText({ reason: isAway ? 'unreachable' : reason, waitS }, locale);
      alert.replaceChildren(h('p', {}, text));
      alert.focus();
    }
    emit(form, 'error', { form: slug, ...outcome, message: alert.textContent });
  }

  async function onSubmit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const errors = validate();
    if (Object.keys(errors).length > 0) {
      showOutcome({ ...failure(NO_ANSWER, 'invalid'), errors });
      return;
    }
    clearErrors();
    const sent = collect();
    if (emit(form, 'submit', { form: slug, values: { ...sent } })) await sendNow(sent);
  }

  async function sendNow(sent = collect()): Promise<void> {
    clearTimeout(retry);
    setBusy(true);
    const outcome = await sender.send(sent, locale);
    setBusy(false);
    showOutcome(outcome);
  }

  function retryNow(): void {
    if (form.isConnected && !isBusy) void sendNow();
  }

  form.addEventListener('input', onInput);
  form.addEventListener('change', onInput);
  form.addEventListener('focusin', () => isBusy || sender.prepare());
  form.addEventListener('submit', (event) => void onSubmit(event));
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
