/** The spellings of a domain's name that its templates use, by the word between the braces. */
export function namesOf(plural: string, stamp: string): Record<string, string> {
  const one = plural.endsWith('ies')
    ? `${plural.slice(0, -3)}y`
    : plural.replace(/(?<=ss|sh|ch|x)es$/, '').replace(/(?<!s)s$/, '')
  const a = /^[aeiou]/.test(one) ? 'an' : 'a'
  return {
    one,
    plural,
    a,
    One: capital(one),
    Plural: capital(plural),
    An: capital(a),
    PLURAL: plural.toUpperCase(),
    stamp,
  }
}

export const capital = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`
