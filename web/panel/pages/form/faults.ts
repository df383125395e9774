import { isBlank } from '../../../../src/forms/definition/form-texts.js';
import type { FormDraft } from './form-draft.js';
import type { Tab } from './search.js';

/** The gateway's messages by the path of what they are about, which begins in the draft: `fields.2.name`. */
export type Faults = Readonly<Record<string, readonly string[]>>;

export const NO_FAULTS: Faults = {};

/** Converts the paths of a refused `saveForm`, which begin at its arguments. */
export const faultsOf = (fields: Faults): Faults =>
  Object.fromEntries(
    Object.entries(fields).map(([path, messages]) => [path.replace(/^input\./, ''), messages]),
  );

type Unenforced = Readonly<{
  content: FormDraft;
  unenforced: readonly Readonly<{ field: string; reason: string }>[];
}>;

/** Returns the patterns that the gateway does not enforce as faults of a form as it was read. */
export const unenforcedFaults = ({ content, unenforced }: Unenforced): Faults =>
  Object.fromEntries(
    unenforced.map(({ field, reason }) => [
      `fields.${content.fields.findIndex(({ name }) => name === field)}.attributes.pattern`,
      [reason],
    ]),
  );

/** Texts that a form must have. */
export const REQUIRED_TEXTS = ['name', 'submitButtonText', 'confirmationMessage'] as const;

/**
 * Returns the texts without which users do not know a form, or visitors a button, a message, a field or an option.
 * The gateway takes blank ones, save an empty name.
 */
export function blankTexts(draft: FormDraft): Faults {
  const ofForm = REQUIRED_TEXTS.map((name) => ({ path: name as string, text: draft[name] }));
  const ofFields = draft.fields.flatMap(({ type, label, options }, index) => {
    if (type === 'hidden') return [];
    return [
      { path: `fields.${index}.label`, text: label },
      ...options.map((option, at) => ({ path: `fields.${index}.options.${at}.label`, text: option.label })),
    ];
  });
  const found = [...ofForm, ...ofFields].filter(({ text }) => isBlank(text));
  return found.length > 0
    ? Object.fromEntries(found.map(({ path }) => [path, ['must not be empty']]))
    : NO_FAULTS;
}

/** Returns faults without those that are among others: what a page finds itself is no longer known from a refusal. */
export function faultsBeside(faults: Faults, others: Faults): Faults {
  const left = Object.entries(faults).filter(([path]) => !Object.hasOwn(others, path));
  return left.length > 0 ? Object.fromEntries(left) : NO_FAULTS;
}

/** Returns the faults at a path or below it, by what remains of their paths. */
export function faultsBelow(faults: Faults, path: string): Faults {
  const found = Object.entries(faults).filter(([at]) => at === path || at.startsWith(`${path}.`));
  return Object.fromEntries(found.map(([at, messages]) => [at.slice(path.length + 1), messages]));
}

/** Where the field at an index of one draft stands in the next; -1 when it is gone. A renamed one keeps its place. */
function movedTo(index: number, before: FormDraft, after: FormDraft): number {
  const { name } = before.fields[index] ?? {};
  const found = after.fields.findIndex((field) => field.name === name);
  return found < 0 && after.fields.length === before.fields.length ? index : found;
}

/** Carries faults over a change of the draft: they follow their field, and what was changed has none any more. */
export function carryFaults(faults: Faults, before: FormDraft, after: FormDraft): Faults {
  if (faults === NO_FAULTS || before === after) return faults;
  const carried = Object.entries(faults).flatMap(([path, messages]): [string, readonly string[]][] => {
    const [top = '', index = '', part = '', ...rest] = path.split('.');
    if (top !== 'fields' || part === '') {
      const key = top as keyof FormDraft;
      return before[key] === after[key] ? [[path, messages]] : [];
    }
    const to = movedTo(Number(index), before, after);
    const was = before.fields[Number(index)];
    const is = after.fields[to];
    const key = part as keyof FormDraft['fields'][number];
    if (!was || !is || was[key] !== is[key]) return [];
    return [[['fields', to, part, ...rest].join('.'), messages]];
  });
  return carried.length > 0 ? Object.fromEntries(carried) : NO_FAULTS;
}

/** Where a fault is mended. */
type FaultPlace = Readonly<{ tab: Tab; field?: string; language?: string }>;

/** Finds the tab, and the field or the language, where what is at a path is edited. */
export function placeOf(path: string, draft: FormDraft): FaultPlace {
  const [top = '', index = ''] = path.split('.');
  if (/(^|\.)translations(\.|$)/.test(path)) {
    const steps = namedSteps(path, draft);
    return { tab: 'translations', language: steps[steps.indexOf('translations') + 1] };
  }
  if (top === 'fields') return { tab: 'fields', field: draft.fields[Number(index)]?.name };
  return { tab: /^recipient/.test(top) ? 'websites' : 'texts' };
}

/** Names the steps of a path: entries of lists by their name, value or language instead of their position. */
export function namedSteps(path: string, draft: FormDraft): string[] {
  let at: unknown = draft;
  return path.split('.').map((step) => {
    const isEntry = Array.isArray(at);
    at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
    const { name, value, locale } = (at ?? {}) as Readonly<Record<string, unknown>>;
    return isEntry ? String(name ?? value ?? locale ?? step) : step;
  });
}
