import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './run.ts'

const VERIFIER = fileURLToPath(new URL('../../../../docs/verify/verify.go', import.meta.url))
/** Of the readers' module, which has the verifier in the package `webhooks`. */
const MODULE = 'shop'

/** Go programs, built. */
export interface GoPrograms {
  /** The command of a program, by its name. */
  readonly commandOf: (name: string) => readonly string[]
  /** Removes them. */
  remove(): void
}

/**
 * Builds Go programs into one file, which is linked once: each is a package in it. The cache of the build is of this run alone.
 * @throws when one is not as gofmt writes it, or does not compile
 */
export async function buildGo(programs: ReadonlyMap<string, string>): Promise<GoPrograms> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-go-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, 'programs')
  const env = { GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' }
  try {
    const write = (name: string, code: string) => {
      mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, name, `${name}.go`), code)
    }
    writeFileSync(join(folder, 'go.mod'), `module ${MODULE}\n\ngo 1.19\n`)
    write('webhooks', readFileSync(VERIFIER, 'utf8'))
    for (const [name, code] of programs) write(name, code)
    const misplaced = await run('gofmt', ['-d', '.'], folder, { env })
    if (misplaced) throw new Error(`gofmt writes the programs otherwise:\n${misplaced}`)
    for (const [name, code] of programs)
      write(name, code.replace('package main\n', `package ${name}\n`).replace('func main() {', 'func Main() {'))
    const names = [...programs.keys()]
    writeFileSync(
      join(folder, 'main.go'),
      `package main

import (
	"os"

${names.map((name) => `\t"${MODULE}/${name}"`).join('\n')}
)

func main() {
	map[string]func(){${names.map((name) => `"${name}": ${name}.Main`).join(', ')}}[os.Args[1]]()
}
`,
    )
    await run('go', ['build', '-o', file, '.'], folder, { env })
  } catch (error) {
    remove()
    throw error
  }
  return { commandOf: (name) => [file, name], remove }
}

/** The samples of a page as one program: the first has the beginning, the others are statements of its `main`. Each ends with `end`. */
export function goProgram([first = '', ...others]: readonly string[], end: string): string {
  const statements = [end, ...others.flatMap((code) => [code, end])].map((code) => code.replaceAll(/^(?=.)/gm, '\t'))
  return `${first.replace(/\}$/, '')}${statements.join('\n')}\n}\n`
}
