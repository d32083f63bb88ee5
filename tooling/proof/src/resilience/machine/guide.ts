import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A fenced block of a guide. */
export interface Block {
  readonly page: string
  readonly line: number
  /** The heading above it. */
  readonly heading: string
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a page, in order, also those within lists. */
export function blocksOf(page: string, markdown: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: { line: number; language: string; indent: number; text: string[] } | undefined
  for (const [index, text] of markdown.split('\n').entries()) {
    const [, indent = '', language] = text.match(/^( *)```(\w*)$/) ?? []
    if (open && language !== undefined) {
      blocks.push({ page, heading, line: open.line, language: open.language, text: open.text.join('\n') })
      open = undefined
    } else if (open) open.text.push(text.slice(open.indent))
    else if (language !== undefined) open = { line: index + 1, language, indent: indent.length, text: [] }
    else heading = text.match(/^##* (.+)$/)?.[1] ?? heading
  }
  return blocks
}

/** The pages of a folder whose blocks are commands of this guide. */
export const pagesIn = (folder: string, without: readonly string[]): Block[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md') && !without.includes(file))
    .flatMap((file) => blocksOf(basename(file), readFileSync(join(folder, file), 'utf8')))

export interface Guide {
  /**
   * Runs the blocks under a heading that have not been run, all or so many, and returns what the last one wrote.
   * @throws Error with the block and what it wrote when one fails
   */
  run(heading: string, count?: number): Promise<string>
  /** Runs a command that the guide names in its text. */
  execute(command: string): Promise<string>
  /** Sets a variable of the shell, as an operator does. */
  set(name: string, value: string): Promise<string>
  /** The blocks that have not been run. */
  rest(): readonly Block[]
  close(): void
}

const PATIENCE_MS = 180_000
/** What the shell writes after a block. */
const END = '\0\n'

/** Runs blocks in one bash, as an operator does who copies them. The first command that fails ends it. `within`: a command that runs the bash elsewhere. */
export function startGuide(
  blocks: readonly Block[],
  environment: Readonly<Record<string, string>>,
  folder = '/root',
  within: readonly string[] = [],
): Guide {
  const [program = '', ...words] = [...within, 'bash', '-euo', 'pipefail']
  const shell: ChildProcess = spawn(program, words, {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  shell.stdin?.write('exec 2>&1\n')
  let written = ''
  let finish: (failure: undefined) => void = () => undefined
  shell.stdout?.on('data', (chunk: Buffer) => {
    written = `${written}${chunk.toString('utf8')}`.slice(-8000)
    if (written.endsWith(END)) finish(undefined)
  })
  const ended = new Promise<string>((resolve) => shell.once('exit', (code) => resolve(`ended with ${code}`)))
  const done = new Set<Block>()
  const execute = async (text: string, name: string): Promise<string> => {
    written = ''
    const finished = new Promise<undefined>((resolve) => {
      finish = resolve
    })
    shell.stdin?.write(`{\n${text}\n} < /dev/null\nprintf '\\0\\n'\n`)
    const late = sleep(PATIENCE_MS, `did not end in ${PATIENCE_MS / 1000} s`, { ref: false })
    const failure = await Promise.race([finished, ended, late])
    if (failure) throw new Error(`${name} ${failure}: ${written}`)
    return written.slice(0, -END.length)
  }
  return {
    async run(heading, count) {
      const own = blocks.filter((block) => block.heading === heading && !done.has(block))
      if (own.length === 0) throw new Error(`No block is left under "${heading}"`)
      let last = ''
      for (const block of own.slice(0, count)) {
        last = await execute(block.text, `${block.page}:${block.line} (${heading})`)
        done.add(block)
      }
      return last
    },
    execute: (command) => execute(command, command),
    set: (name, value) => execute(`export ${name}='${value.replaceAll("'", "'\\''")}'`, name),
    rest: () => blocks.filter((block) => !done.has(block)),
    close: () => void shell.kill(),
  }
}
