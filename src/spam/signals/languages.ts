/** Scripts in which a language is written; a language that is not here is not compared. */
const SCRIPTS: Readonly<Record<string, string>> = {
  fr: 'Latin',
  en: 'Latin',
  de: 'Latin',
  es: 'Latin',
  it: 'Latin',
  nl: 'Latin',
  pt: 'Latin',
  pl: 'Latin',
  cs: 'Latin',
  ro: 'Latin',
  sv: 'Latin',
  da: 'Latin',
  fi: 'Latin',
  hu: 'Latin',
  tr: 'Latin',
  ru: 'Cyrillic',
  uk: 'Cyrillic',
  bg: 'Cyrillic',
  el: 'Greek',
  ar: 'Arabic',
  he: 'Hebrew',
};

/** Frequent words by which a language is recognised; none is in two lists. */
const FREQUENT_WORDS: Readonly<Record<string, readonly string[]>> = {
  fr: 'je vous nous pour avec est une votre des bonjour merci dans sur pas mon notre cette aux suis'.split(
    ' ',
  ),
  en: 'the you your and is are with have this that our for my would will can from hello thanks'.split(' '),
  de: 'ich sie wir und der das ist mit fur nicht ein eine ihre haben auf bitte zum konnen'.split(' '),
  es: 'el los las usted su y por quiero hola gracias esta muy tengo puede necesito nuestra'.split(' '),
  it: 'il di che per sono della grazie buongiorno vorrei gli anche nostro vostro questa ho avere'.split(' '),
  nl: 'ik het een van wij jullie voor niet graag kunnen uw onze hebben zijn dank goedendag'.split(' '),
  pt: 'o uma voce nao obrigado obrigada ola gostaria nosso seu sua sao meu minha tenho fazer'.split(' '),
};

/** The frequent words of all languages, which tell a language and nothing else. */
export const FREQUENT: ReadonlySet<string> = new Set(Object.values(FREQUENT_WORDS).flat());

const SETS = Object.entries(FREQUENT_WORDS).map(([language, words]) => ({ language, words: new Set(words) }));

/** Frequent words that a text must have before its language is told. */
const MIN_FREQUENT = 3;

/** The share of letters from which a text is in another script. */
const FOREIGN = 0.3;

/** Letters that a text must have before its script is told. */
const MIN_LETTERS = 8;

const languageOf = (locale: string): string => locale.split('-', 1)[0]!.toLowerCase();

/** Tells whether a language is one of the seven whose words are known. */
export const isKnownLanguage = (locale: string): boolean => Object.hasOwn(FREQUENT_WORDS, languageOf(locale));

/** Tells whether words are in another script than their form's language is written in. */
export function isForeignScript({
  words,
  locale,
}: Readonly<{ words: readonly string[]; locale: string }>): boolean {
  const script = SCRIPTS[languageOf(locale)];
  if (!script) return false;
  const text = words.join('');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters < MIN_LETTERS) return false;
  const own = text.match(new RegExp(`\\p{Script=${script}}`, 'gu'))?.length ?? 0;
  return 1 - own / letters > FOREIGN;
}

/** Tells whether a text is in another language than its form, of those that it can recognise. */
export function isForeign(words: readonly string[], locale: string): boolean {
  const own = languageOf(locale);
  const counts = SETS.map(({ language, words: frequent }) => ({
    language,
    count: words.filter((word) => frequent.has(word)).length,
  })).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  if (!first || !second || !(own in FREQUENT_WORDS) || first.language === own) return false;
  const ownCount = counts.find(({ language }) => language === own)!.count;
  return first.count >= MIN_FREQUENT && first.count > 2 * ownCount;
}
