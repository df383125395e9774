/** Returns what stands between a label and its value in a language: French has a no-break space before the colon. */
export const colonOf = (language: string): string => (language === 'fr' ? '\u00a0: ' : ': ');
