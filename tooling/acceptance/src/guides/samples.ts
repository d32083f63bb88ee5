import { type Guide, guideText, SAMPLE_ADDRESS } from '@payments/gateway'
import { Lexer } from 'marked'

/** A block of code of a guide that a reader can run. */
export interface Sample {
  readonly language: 'sh' | 'ts' | 'python'
  /** The name under which it is saved; a shell sample has none. */
  readonly file: string | undefined
  readonly code: string
  /** What the guide says that it prints; `…` stands for any text. */
  output: string | undefined
}

const EXECUTED = ['sh', 'ts', 'python']

/** The samples of a guide, in order, without the files that it includes from `docs/verify`. A block of output belongs to the sample before it. */
export function samplesOf(guide: Guide): Sample[] {
  const samples: Sample[] = []
  for (const token of Lexer.lex(guide.source)) {
    if (token.type !== 'code') continue
    const [language = '', file] = (token.lang ?? '').split(' ')
    const last = samples.at(-1)
    if (EXECUTED.includes(language))
      samples.push({ language: language as Sample['language'], file, code: token.text, output: undefined })
    else if (language === 'text' && last) last.output = token.text
  }
  return samples
}

/** True if a sample printed what the guide says. */
export function matches(output: string, printed: string): boolean {
  const pattern = output
    .trim()
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('[^]*?')
  return new RegExp(`^${pattern}$`).test(printed.replaceAll('\r', '').trim())
}

/** The code blocks of a guide as its page shows them, included files too. */
export const blocksOf = (guide: Guide): { language: string; code: string }[] =>
  Lexer.lex(guideText(guide, SAMPLE_ADDRESS)).flatMap((token) =>
    token.type === 'code' ? [{ language: (token.lang ?? '').split(' ')[0] ?? '', code: token.text as string }] : [],
  )
