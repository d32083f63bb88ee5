/** Calls that find a provider without an object. */
const CHOICE = /\bproviders\s*\.\s*(for|candidates|bound)\s*\(/g

/** Where such calls are in the text of a file, by line. */
export const choicesIn = (text: string): readonly number[] =>
  [...text.matchAll(CHOICE)].map(({ index }) => text.slice(0, index).split('\n').length)
