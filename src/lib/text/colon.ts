/** Returns what stands between a label and its value in a language: French has a space before the colon. */
export const colonOf = (language: string): string => (language === 'fr' ? ' : ' : ': ');
