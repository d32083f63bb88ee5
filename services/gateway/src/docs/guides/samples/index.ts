import * as commandLine from './command-line.ts'
import * as python from './python.ts'
import { Untranslatable } from './shell.ts'
import { type Step, StepReader } from './steps.ts'
import * as typescript from './typescript.ts'

/** A sample of a guide in another language than the one in which it was written. */
export interface Translation {
  readonly language: 'ts' | 'python' | 'cli'
  readonly code: string
}

/**
 * Writes the shell samples of one guide in the other languages. They are given in the order of the page: the samples of each language
 * are one session, as those of the shell are. What is printed is the same, in the notation of the language.
 */
export class Translator {
  readonly #reader = new StepReader()
  readonly #names = new Set(['payments'])
  #url = ''
  #hasBegun = false

  /** Without a translation, a sample does something else than to call the API with a key. */
  translate(code: string): readonly Translation[] {
    this.#url = code.match(/^API=(\S+)\/v1$/m)?.[1] ?? this.#url
    const steps = this.#read(code)
    if (steps.length === 0) return []
    const whole = (prelude: (url: string) => string, write: (step: Step) => string) =>
      (this.#hasBegun ? '' : `${prelude(this.#url)}\n`) +
      steps.map((step, at) => `${at > 0 && step.isApart ? '\n' : ''}${write(step)}`).join('\n')
    const written: Translation[] = [
      { language: 'ts', code: whole(typescript.prelude, (step) => typescript.write(step, this.#names)) },
      { language: 'python', code: whole(python.prelude, python.write) },
      { language: 'cli', code: whole(commandLine.prelude, commandLine.write) },
    ]
    this.#hasBegun = true
    return written
  }

  #read(code: string) {
    try {
      return this.#reader.read(code)
    } catch (error) {
      if (error instanceof Untranslatable) return []
      throw error
    }
  }
}
