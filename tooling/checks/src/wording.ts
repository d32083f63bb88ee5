/** Words that public text does not have, each with what it says instead. */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\be-mails?\b/i, 'email'],
  [/\b(somebody|whoever)\b/i, 'who it is'],
  [/\bnevertheless\b/i, 'anyway, or nothing'],
  [/\bbecame of\b/i, 'the outcome'],
  [/\b(has|have) been told\b/i, 'was notified'],
  [/\bneed not\b/i, 'does not have to'],
  [/\bof which there is no end\b/i, 'unlimited'],
  [/\bstands? so\b|\bwhere it stands\b/i, 'status'],
  [/\bnot tell\b|\btells? (it|no|the site)\b|\bbank tells\b/i, 'returns, shows, posts'],
  [/\b(hasten|parcels?|verdicts?|pump|rouse|poke)\b/i, 'what happens: schedule, attempt, result, dispatch, trigger'],
  [/\bcomes to be\b|\bis no news\b/i, 'what happens'],
  [/\bInvalid input\b|\bexpected (record|string|number)\b/, 'which field is wrong, and what would be right'],
]

/** The words of a text that public text does not have, with what to write instead. Code in it is left alone. */
export function wrongWords(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?```|`[^`]*`/g, '')
  return WORDS.flatMap(([word, instead]) => {
    const found = prose.match(word)
    return found ? [`"${found[0]}": write ${instead}`] : []
  })
}
