import * as commandLine from './command-line.ts'
import * as go from './go.ts'
import * as php from './php.ts'
import * as python from './python.ts'
import { Untranslatable } from './shell.ts'
import { type Step, StepReader } from './steps.ts'
import * as typescript from './typescript.ts'

/** A sample of a guide in another language than the one in which it was written. */
export interface Translation {
  readonly language: 'ts' | 'python' | 'php' | 'go' | 'cli'
  readonly code: string
}

/**
 * Writes the shell samples of one guide in the other languages: for each sample its translations, and none where it does something else
 * than to call the API with a key. They are given in the order of the page: the samples of each language are one session, as those of
 * the shell are. What is printed is the same, in the notation of the language.
 */
export function translationsOf(samples: readonly string[]): (readonly Translation[])[] {
  const reader = new StepReader()
  const read = samples.map((code) => stepsOf(code, reader))
  const [url = ''] = samples.flatMap((code) => code.match(/^API=(\S+)\/v1$/m)?.[1] ?? [])
  const page = new go.Page(read.flat())
  const names = new Set(['payments'])
  const [first, ...others] = read.filter((steps) => steps.length > 0)
  return read.map((steps) => {
    if (steps.length === 0) return []
    const begins = (prelude: string) => (steps === first ? `${prelude}\n` : '')
    const all = (write: (step: Step) => string) =>
      steps.map((step, at) => `${at > 0 && step.isApart ? '\n' : ''}${write(step)}`).join('\n')
    const statements = all((step) => go.write(step, page))
    return [
      {
        language: 'ts',
        code: `${begins(typescript.prelude(url))}${all((step) => typescript.write(step, names))}`,
      },
      { language: 'python', code: `${begins(python.prelude(url))}${all(python.write)}` },
      { language: 'php', code: `${begins(php.prelude(url))}${all(php.write)}` },
      {
        language: 'go',
        code: steps === first ? `${go.prelude(url, page)}\n${go.program(statements, others.length > 0)}` : statements,
      },
      { language: 'cli', code: `${begins(commandLine.prelude(url))}${all(commandLine.write)}` },
    ]
  })
}

function stepsOf(code: string, reader: StepReader): Step[] {
  try {
    return reader.read(code)
  } catch (error) {
    if (error instanceof Untranslatable) return []
    throw error
  }
}
