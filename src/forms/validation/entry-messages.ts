/*
 * The messages about invalid entries. Server and browser script share this module.
 */

import { SPOKEN, spokenIndex } from '../definition/locales.js';

/** One fault of an entry, independent of its wording. Lengths are characters. */
type EntryFault =
  | { code: 'required' | 'consent' | 'email' | 'url' | 'number' | 'date' | 'time' | 'step' | 'pattern' }
  | { code: 'too_long' | 'too_short'; limit: number }
  | { code: 'too_low' | 'too_high'; limit: number | string };

/** One fault of a request that no form of Formgate would send. */
export type RequestFault =
  | { code: 'type' | 'single' | 'choice' | 'tick' | 'too_costly' | 'too_deep' | 'too_many' }
  | { code: 'too_many_items'; limit: number };

export type ValidationFault = EntryFault | RequestFault;

type Messages = Readonly<Record<EntryFault['code'] | 'summary', readonly string[]>>;

/** Each message in the languages of `SPOKEN`, in its order. */
const MESSAGES: Messages = {
  summary: [
    'Some answers need your attention.',
    'Certaines réponses sont à corriger.',
    'Bitte prüfen Sie Ihre Angaben.',
    'Revise las respuestas indicadas.',
    'Alcune risposte sono da correggere.',
    'Controleer de gemarkeerde antwoorden.',
    'Verifique as respostas assinaladas.',
  ],
  required: [
    'Please fill in this field.',
    'Veuillez remplir ce champ.',
    'Bitte füllen Sie dieses Feld aus.',
    'Rellene este campo.',
    'Compila questo campo.',
    'Vul dit veld in.',
    'Preencha este campo.',
  ],
  consent: [
    'Please tick this box to continue.',
    'Veuillez cocher cette case pour continuer.',
    'Bitte kreuzen Sie dieses Kästchen an, um fortzufahren.',
    'Marque esta casilla para continuar.',
    'Seleziona questa casella per continuare.',
    'Vink dit vakje aan om verder te gaan.',
    'Assinale esta caixa para continuar.',
  ],
  email: [
    'Please enter a valid e-mail address (name@example.com).',
    'Veuillez saisir une adresse e-mail valide (nom@exemple.fr).',
    'Bitte geben Sie eine gültige E-Mail-Adresse ein (name@beispiel.de).',
    'Introduzca una dirección de correo válida (nombre@ejemplo.es).',
    'Inserisci un indirizzo e-mail valido (nome@esempio.it).',
    'Vul een geldig e-mailadres in (naam@voorbeeld.nl).',
    'Introduza um endereço de e-mail válido (nome@exemplo.pt).',
  ],
  url: [
    'Please enter a complete web address (https://…).',
    'Veuillez saisir une adresse web complète (https://…).',
    'Bitte geben Sie eine vollständige Webadresse ein (https://…).',
    'Introduzca una dirección web completa (https://…).',
    'Inserisci un indirizzo web completo (https://…).',
    'Vul een volledig webadres in (https://…).',
    'Introduza um endereço web completo (https://…).',
  ],
  number: [
    'Please enter a number.',
    'Veuillez saisir un nombre.',
    'Bitte geben Sie eine Zahl ein.',
    'Introduzca un número.',
    'Inserisci un numero.',
    'Vul een getal in.',
    'Introduza um número.',
  ],
  date: [
    'Please enter a valid date.',
    'Veuillez saisir une date valide.',
    'Bitte geben Sie ein gültiges Datum ein.',
    'Introduzca una fecha válida.',
    'Inserisci una data valida.',
    'Vul een geldige datum in.',
    'Introduza uma data válida.',
  ],
  time: [
    'Please enter a valid time.',
    'Veuillez saisir une heure valide.',
    'Bitte geben Sie eine gültige Uhrzeit ein.',
    'Introduzca una hora válida.',
    "Inserisci un'ora valida.",
    'Vul een geldige tijd in.',
    'Introduza uma hora válida.',
  ],
  step: [
    'This value is not allowed.',
    "Cette valeur n'est pas autorisée.",
    'Dieser Wert ist nicht zulässig.',
    'Este valor no está permitido.',
    'Questo valore non è consentito.',
    'Deze waarde is niet toegestaan.',
    'Este valor não é permitido.',
  ],
  pattern: [
    'Please use the format requested.',
    'Veuillez respecter le format demandé.',
    'Bitte halten Sie das vorgegebene Format ein.',
    'Utilice el formato solicitado.',
    'Rispetta il formato richiesto.',
    'Gebruik de gevraagde notatie.',
    'Respeite o formato pedido.',
  ],
  too_long: [
    'Please use {limit} characters at most.',
    'Veuillez saisir au plus {limit} caractères.',
    'Bitte verwenden Sie höchstens {limit} Zeichen.',
    'Utilice {limit} caracteres como máximo.',
    'Lunghezza massima: {limit} caratteri.',
    'Gebruik maximaal {limit} tekens.',
    'Utilize no máximo {limit} caracteres.',
  ],
  too_short: [
    'Please use at least {limit} characters.',
    'Veuillez saisir au moins {limit} caractères.',
    'Bitte verwenden Sie mindestens {limit} Zeichen.',
    'Utilice al menos {limit} caracteres.',
    'Lunghezza minima: {limit} caratteri.',
    'Gebruik minimaal {limit} tekens.',
    'Utilize pelo menos {limit} caracteres.',
  ],
  too_low: [
    'The value must be {limit} or more.',
    'La valeur minimale est {limit}.',
    'Der kleinste zulässige Wert ist {limit}.',
    'El valor mínimo es {limit}.',
    'Il valore minimo è {limit}.',
    'De kleinste toegestane waarde is {limit}.',
    'O valor mínimo é {limit}.',
  ],
  too_high: [
    'The value must be {limit} or less.',
    'La valeur maximale est {limit}.',
    'Der größte zulässige Wert ist {limit}.',
    'El valor máximo es {limit}.',
    'Il valore massimo è {limit}.',
    'De grootste toegestane waarde is {limit}.',
    'O valor máximo é {limit}.',
  ],
};

/** Formats a limit: a number with separators, a date with the month's name, a time unchanged. */
function localizedLimit(limit: number | string, language: string): string {
  if (typeof limit === 'number') {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(limit);
  }
  const instant = /^\d{4}-\d\d-\d\d$/.test(limit) ? Date.parse(limit) : Number.NaN;
  if (Number.isNaN(instant)) return limit;
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(instant);
}

/** Words a fault for the visitor, in their language; a request's fault is worded as the summary only. */
export function entryMessage(fault: ValidationFault, locale: string): string {
  const index = spokenIndex(locale);
  const messages: Partial<Record<string, readonly string[]>> = MESSAGES;
  const message = (messages[fault.code] ?? MESSAGES.summary)[index]!;
  return 'limit' in fault ? message.replace('{limit}', localizedLimit(fault.limit, SPOKEN[index]!)) : message;
}

/** Words the `message` above the messages of the fields (422; guide: Everything that can go wrong). */
export const validationSummary = (locale: string): string => MESSAGES.summary[spokenIndex(locale)]!;
