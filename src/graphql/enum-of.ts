/** Makes the enumeration of words, each its own value. */
export const enumOf = <Word extends string>(words: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, word])) as { [Key in Word]: Key };
