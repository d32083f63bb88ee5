/** Text in which `mark(name)` stands for the value of a variable. */
export type Text = string

/** A sample that says something that no other language is written from. The message says what. */
export class Untranslatable extends Error {
  override name = 'Untranslatable'
}

const BEGIN = '\uE000'
const END = '\uE001'
const MARKS = /\uE000(\w+)\uE001/

/** A variable within a text. */
export const mark = (name: string): string => `${BEGIN}${name}${END}`

/** A text as its parts: literal text and names of variables by turns, beginning with text. */
export const partsOf = (text: Text): string[] => text.split(MARKS)

/** The name, where a text is a variable and nothing else. */
export const variableOf = (text: Text): string | undefined => text.match(new RegExp(`^${MARKS.source}$`))?.[1]

/** A command of a pipeline as its words; `input` is what `<<<` gives it. */
export interface Command {
  readonly words: readonly Text[]
  readonly input: Text | undefined
}

/** What a line of a sample does with the output of a pipeline. */
export interface Statement {
  /** `print` it, `assign` it to `name`, or `poll` until it has output, and print that. */
  readonly kind: 'print' | 'assign' | 'poll'
  readonly name: string
  /** Is there an empty line before it? */
  readonly isApart: boolean
  readonly pipeline: readonly Command[]
}

/**
 * Reads the part of a shell that the guides use: pipelines, `NAME=$(pipeline)` and `until pipeline; do sleep 1; done`.
 * @throws Untranslatable for anything else
 */
export function readShell(code: string): Statement[] {
  return new Shell(code).statements()
}

class Shell {
  readonly #code: string
  #at = 0
  constructor(code: string) {
    this.#code = code
  }

  statements(): Statement[] {
    const all: Statement[] = []
    for (;;) {
      const isApart = this.#match(/\s*/y)?.[0].includes('\n\n') ?? false
      if (this.#at >= this.#code.length) return all
      if (this.#match(/API=\S+(?=\n|$)/y)) continue
      const [, name] = this.#match(/(?:export )?([A-Z_]+)=\$\(/y) ?? []
      if (name !== undefined) {
        all.push({ kind: 'assign', name, isApart, pipeline: this.#pipeline(')') })
        this.#need(/\)(?=\n|$)/y)
      } else if (this.#match(/until /y)) {
        all.push({ kind: 'poll', name: '', isApart, pipeline: this.#pipeline('\n') })
        this.#need(/\ndo sleep 1; done(?=\n|$)/y)
      } else all.push({ kind: 'print', name: '', isApart, pipeline: this.#pipeline('\n') })
    }
  }

  /** Commands up to a character, which is not read. */
  #pipeline(end: string): Command[] {
    const commands: { words: Text[]; input: Text | undefined }[] = [{ words: [], input: undefined }]
    for (;;) {
      this.#match(/(?: |\\\n)*/y)
      const last = commands.at(-1)
      if (this.#at >= this.#code.length || this.#code[this.#at] === end) return commands
      if (this.#match(/\|\s*/y)) commands.push({ words: [], input: undefined })
      else if (last && this.#match(/<<< /y)) last.input = this.#word()
      else last?.words.push(this.#word())
    }
  }

  #word(): Text {
    let text = ''
    for (;;) {
      const [, single] = this.#match(/'([^']*)'/y) ?? []
      if (single !== undefined) text += single
      else if (this.#match(/"/y)) text += this.#quoted()
      else {
        const [plain, variable] = this.#match(/\$([A-Z_]+)|[\w./:@,=?&-]+/y) ?? []
        if (plain === undefined) break
        text += variable ? mark(variable) : plain
      }
    }
    const next = this.#code[this.#at] ?? '\n'
    if (!/[\s|)]/.test(next)) throw new Untranslatable(`the shell at ${this.#code.slice(this.#at, this.#at + 20)}`)
    return text
  }

  #quoted(): Text {
    let text = ''
    while (!this.#match(/"/y)) {
      const [plain, variable, escaped] = this.#need(/\$([A-Z_]+)|\\(["\\$])|[^"\\$]+/y)
      text += variable ? mark(variable) : (escaped ?? plain)
    }
    return text
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#code)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #need(pattern: RegExp): RegExpExecArray {
    const found = this.#match(pattern)
    if (!found) throw new Untranslatable(`the shell at ${this.#code.slice(this.#at, this.#at + 20)}`)
    return found
  }
}
