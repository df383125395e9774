import type { TextId } from '../../texts/text-id.js';

/** The gateway's sentences, and the text that says the same in the viewer's language; groups fill in `a` and `b`. */
const SENTENCES: readonly (readonly [RegExp, TextId])[] = [
  [/^must not be empty$/, 'fault.empty'],
  [/^is required$/, 'fault.empty'],
  [/^Too big: expected string to have <=(\d+) characters$/, 'field.tooLong'],
  [/^must be at most (\d+) characters$/, 'field.tooLong'],
  [/^Too big: expected array to have <=(\d+) items$/, 'fault.tooMany'],
  [/^must be at most (\d+) entries$/, 'fault.tooMany'],
  [/^holds a character that cannot be stored$/, 'fault.character'],
  [/^must be at least 1 entries$/, 'fault.recipients'],
  [/^must be at least 1 characters$/, 'fault.empty'],
  [/^must be an e-mail address$/, 'field.email'],
  [/^must be an http or https address$/, 'fault.address'],
  [/^must be a domain such as/, 'fault.domain'],
  [/^is a domain of free mail/, 'fault.freeMail'],
  [/^must have (\d+) characters at least$/, 'fault.tooShort'],
  [/^must be one of (.*)$/, 'fault.oneOf'],
  [/^is the same as in entry \d+$/, 'fault.twice'],
  [/^must be letters, digits,/, 'fault.name.form'],
  [/^is reserved for what accompanies/, 'fault.name.reserved'],
  [/^is required for \w+$/, 'fault.options'],
  [/^is not for \w+$/, 'fault.noOptions'],
  [/^cannot be set here$/, 'fault.attribute'],
  [/^must be a whole number$/, 'fault.wholeNumber'],
  [/^must be the lower-case name/, 'fault.attributeName'],
  [/^is the source language/, 'fault.sourceLanguage'],
  [/^is not among the translations of the form$/, 'fault.strayLanguage'],
  [/^is not a known key$/, 'fault.kind'],
  [/^must be (?:text|true or false|a number|a list|a mapping|of type)/, 'fault.kind'],

  [/^The form has no field "(.*)"\.$/, 'fault.noField'],
  [/^"\w+" compares numbers, dates and times only\.$/, 'fault.operator'],
  [/^"contains" does not apply/, 'fault.operator'],
  [/^"(.*)" is no (?:number|date|time)\.$/, 'fault.value'],
  [/^"(.*)" is not among the options of "(.*)"\.$/, 'fault.noOption'],
  [/^Display conditions run in a circle: (.*)\.$/, 'fault.circle'],
  [/^The conditions of a form compare/, 'fault.comparisons'],
  [/^Conditions may be nested (\d+) deep at most\.$/, 'fault.depth'],
  [/^is nested too deep, or has too many parts$/, 'fault.tooDeep'],
  [/^Expected (\d+) rules at most\.$/, 'fault.rules'],
  [/^Expected at least one rule\.$/, 'fault.noRule'],
  [/^Expected "all" or "any"\.$/, 'fault.kind'],
  [/^Expected the name of a field\.$/, 'fault.ruleField'],
  [/^Expected one of /, 'fault.ruleOperator'],
  [/^A (?:condition|rule) is an object/, 'fault.kind'],
  [/^"\w+" takes no value\.$/, 'fault.ruleNoValue'],
  [/^"\w+" takes a (?:list|text)/, 'fault.ruleValue'],
  [/^A value has (\d+) characters at most\.$/, 'field.tooLong'],

  [/^A pattern must be at most (\d+) characters\.$/, 'field.tooLong'],
  [/^This is not a valid regular expression\.$/, 'fault.pattern.invalid'],
  [/^This pattern is too large/, 'fault.pattern.large'],
  [/^The patterns of this form are too large together\.$/, 'fault.pattern.together'],
  [/^A pattern cannot hold a look-ahead: (.*)$/s, 'fault.pattern.lookAhead'],
  [/^A pattern cannot hold a look-behind: (.*)$/s, 'fault.pattern.lookBehind'],
  [/^A pattern cannot hold a reference back to a group: (.*)$/s, 'fault.pattern.reference'],
  [/^A pattern cannot hold a repetition beyond ([\d,]+) times: (.*)$/s, 'fault.pattern.repetition'],
  [/^A pattern cannot hold a property of whole texts: (.*)$/s, 'fault.pattern.property'],
  [/^A pattern cannot hold this property, .*?: (.*)$/s, 'fault.pattern.property'],
  [/^A pattern cannot hold .*?class(?:es)?: (.*)$/s, 'fault.pattern.class'],
];

/** A text of the catalogues with what is filled in. */
type Said = Readonly<{ id: TextId; a: string; b: string }>;

/** Finds the text that says the same as a sentence of the gateway; null when there is none. */
export function textOfFault(message: string): Said | null {
  for (const [sentence, id] of SENTENCES) {
    const found = sentence.exec(message);
    if (found) return { id, a: found[1] ?? '', b: found[2] ?? '' };
  }
  return null;
}
