/*
 * What is told about an entry that cannot be taken. Server and browser script share this module.
 */

import { baseLocale } from '../definition/locales.js';

/** One thing wrong with an entry, apart from the words for it. Lengths are characters. */
export type EntryFault =
  | { code: 'required' | 'consent' | 'email' | 'url' | 'number' | 'date' | 'time' | 'step' | 'pattern' }
  | { code: 'too_long' | 'too_short'; limit: number }
  | { code: 'too_low' | 'too_high'; limit: number | string };

/** One thing wrong with a request, which no form of ours would send. */
export type RequestFault = { code: 'type' | 'single' | 'choice' | 'tick' | 'too_deep' | 'too_many' };

export type ValidationFault = EntryFault | RequestFault;

type Messages = Record<EntryFault['code'] | 'summary', string>;

const ENGLISH: Messages = {
  summary: 'Some answers need your attention.',
  required: 'Please fill in this field.',
  consent: 'Please tick this box to continue.',
  email: 'Please enter a valid e-mail address (name@example.com).',
  url: 'Please enter a complete web address (https://…).',
  number: 'Please enter a number.',
  date: 'Please enter a valid date.',
  time: 'Please enter a valid time.',
  step: 'This value is not allowed.',
  pattern: 'Please use the format requested.',
  too_long: 'Please use {limit} characters at most.',
  too_short: 'Please use at least {limit} characters.',
  too_low: 'The value must be {limit} or more.',
  too_high: 'The value must be {limit} or less.',
};

const FRENCH: Messages = {
  summary: 'Certaines réponses sont à corriger.',
  required: 'Veuillez remplir ce champ.',
  consent: 'Veuillez cocher cette case pour continuer.',
  email: 'Veuillez saisir une adresse e-mail valide (nom@exemple.fr).',
  url: 'Veuillez saisir une adresse web complète (https://…).',
  number: 'Veuillez saisir un nombre.',
  date: 'Veuillez saisir une date valide.',
  time: 'Veuillez saisir une heure valide.',
  step: "Cette valeur n'est pas autorisée.",
  pattern: 'Veuillez respecter le format demandé.',
  too_long: 'Limite : {limit} caractères au maximum.',
  too_short: 'Veuillez saisir au moins {limit} caractères.',
  too_low: 'La valeur minimale est {limit}.',
  too_high: 'La valeur maximale est {limit}.',
};

const GERMAN: Messages = {
  summary: 'Bitte prüfen Sie Ihre Angaben.',
  required: 'Bitte füllen Sie dieses Feld aus.',
  consent: 'Bitte kreuzen Sie dieses Kästchen an, um fortzufahren.',
  email: 'Bitte geben Sie eine gültige E-Mail-Adresse ein (name@beispiel.de).',
  url: 'Bitte geben Sie eine vollständige Webadresse ein (https://…).',
  number: 'Bitte geben Sie eine Zahl ein.',
  date: 'Bitte geben Sie ein gültiges Datum ein.',
  time: 'Bitte geben Sie eine gültige Uhrzeit ein.',
  step: 'Dieser Wert ist nicht zulässig.',
  pattern: 'Bitte halten Sie das vorgegebene Format ein.',
  too_long: 'Bitte verwenden Sie höchstens {limit} Zeichen.',
  too_short: 'Bitte verwenden Sie mindestens {limit} Zeichen.',
  too_low: 'Der kleinste zulässige Wert ist {limit}.',
  too_high: 'Der größte zulässige Wert ist {limit}.',
};

const SPANISH: Messages = {
  summary: 'Revise las respuestas indicadas.',
  required: 'Rellene este campo.',
  consent: 'Marque esta casilla para continuar.',
  email: 'Introduzca una dirección de correo válida (nombre@ejemplo.es).',
  url: 'Introduzca una dirección web completa (https://…).',
  number: 'Introduzca un número.',
  date: 'Introduzca una fecha válida.',
  time: 'Introduzca una hora válida.',
  step: 'Este valor no está permitido.',
  pattern: 'Utilice el formato solicitado.',
  too_long: 'Utilice {limit} caracteres como máximo.',
  too_short: 'Utilice al menos {limit} caracteres.',
  too_low: 'El valor mínimo es {limit}.',
  too_high: 'El valor máximo es {limit}.',
};

const ITALIAN: Messages = {
  summary: 'Alcune risposte sono da correggere.',
  required: 'Compila questo campo.',
  consent: 'Seleziona questa casella per continuare.',
  email: 'Inserisci un indirizzo e-mail valido (nome@esempio.it).',
  url: 'Inserisci un indirizzo web completo (https://…).',
  number: 'Inserisci un numero.',
  date: 'Inserisci una data valida.',
  time: "Inserisci un'ora valida.",
  step: 'Questo valore non è consentito.',
  pattern: 'Rispetta il formato richiesto.',
  too_long: 'Lunghezza massima: {limit} caratteri.',
  too_short: 'Lunghezza minima: {limit} caratteri.',
  too_low: 'Il valore minimo è {limit}.',
  too_high: 'Il valore massimo è {limit}.',
};

const DUTCH: Messages = {
  summary: 'Controleer de gemarkeerde antwoorden.',
  required: 'Vul dit veld in.',
  consent: 'Vink dit vakje aan om verder te gaan.',
  email: 'Vul een geldig e-mailadres in (naam@voorbeeld.nl).',
  url: 'Vul een volledig webadres in (https://…).',
  number: 'Vul een getal in.',
  date: 'Vul een geldige datum in.',
  time: 'Vul een geldige tijd in.',
  step: 'Deze waarde is niet toegestaan.',
  pattern: 'Gebruik de gevraagde notatie.',
  too_long: 'Gebruik maximaal {limit} tekens.',
  too_short: 'Gebruik minimaal {limit} tekens.',
  too_low: 'De kleinste toegestane waarde is {limit}.',
  too_high: 'De grootste toegestane waarde is {limit}.',
};

const PORTUGUESE: Messages = {
  summary: 'Verifique as respostas assinaladas.',
  required: 'Preencha este campo.',
  consent: 'Assinale esta caixa para continuar.',
  email: 'Introduza um endereço de e-mail válido (nome@exemplo.pt).',
  url: 'Introduza um endereço web completo (https://…).',
  number: 'Introduza um número.',
  date: 'Introduza uma data válida.',
  time: 'Introduza uma hora válida.',
  step: 'Este valor não é permitido.',
  pattern: 'Respeite o formato pedido.',
  too_long: 'Utilize no máximo {limit} caracteres.',
  too_short: 'Utilize pelo menos {limit} caracteres.',
  too_low: 'O valor mínimo é {limit}.',
  too_high: 'O valor máximo é {limit}.',
};

const BY_LOCALE = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['nl', DUTCH],
  ['pt', PORTUGUESE],
]);

/** The language that is really spoken for a locale: further platform languages read English. */
function spoken(locale: string): string {
  const base = baseLocale(locale);
  return BY_LOCALE.has(base) ? base : 'en';
}

/** A number with the separators, a date with the month's name, a time as it is. */
function localizedLimit(limit: number | string, language: string): string {
  if (typeof limit === 'number') {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(limit);
  }
  const instant = /^\d{4}-\d\d-\d\d$/.test(limit) ? Date.parse(limit) : Number.NaN;
  if (Number.isNaN(instant)) return limit;
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(instant);
}

/** What to tell a visitor about a fault, in their language; of a request's faults only the summary. */
export function entryMessage(fault: ValidationFault, locale: string): string {
  const language = spoken(locale);
  const messages: Partial<Record<string, string>> = BY_LOCALE.get(language)!;
  const message = messages[fault.code] ?? validationSummary(locale);
  return 'limit' in fault ? message.replace('{limit}', localizedLimit(fault.limit, language)) : message;
}

/** The `message` line above the messages of the fields (422, section 7). */
export function validationSummary(locale: string): string {
  return BY_LOCALE.get(spoken(locale))!.summary;
}
