import { type Guide, guideText, SAMPLE_ADDRESS } from '@payments/documentation'
import { Lexer } from 'marked'

/** A block of code of a guide that a reader can run. */
export interface Sample {
  readonly language: 'sh' | 'ts' | 'python' | 'php' | 'go'
  /** The name under which it is saved; a shell sample has none. */
  readonly file: string | undefined
  readonly code: string
  /** What the guide says that it prints; `…` stands for any text. */
  output: string | undefined
}

const EXECUTED = ['sh', 'ts', 'python', 'php', 'go']

/** The samples of a guide, in order, without the files that it includes from `docs/verify`. A block of output belongs to the samples before it: one, or a program in several languages. */
export function samplesOf(guide: Guide): Sample[] {
  const samples: Sample[] = []
  let last: Sample[] = []
  let follows = false
  for (const token of Lexer.lex(guide.source)) {
    if (token.type === 'space') continue
    if (token.type === 'code') {
      const [language = '', file] = (token.lang ?? '').split(' ')
      if (EXECUTED.includes(language)) {
        const sample: Sample = { language: language as Sample['language'], file, code: token.text, output: undefined }
        samples.push(sample)
        last = follows && file && last.at(-1)?.file ? [...last, sample] : [sample]
      } else if (language === 'text') for (const sample of last) sample.output = token.text
    }
    follows = token.type === 'code'
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
