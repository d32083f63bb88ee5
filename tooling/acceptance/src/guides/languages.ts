import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { format } from 'node:util'
import { run as runCommand } from '@payments/cli'
import { type Translation, translationsOf } from '@payments/documentation'
import { Payments } from '@payments/sdk'
import { type GoPrograms, goProgram } from './go.ts'
import { at, inFolder, MARK, type Place, run } from './run.ts'
import type { Sample } from './samples.ts'

type Language = Translation['language']

export const languages: readonly Language[] = ['ts', 'python', 'php', 'go', 'cli']

/** The shell samples of a guide that are translated, with their translations. */
export function translated(samples: readonly Sample[]): { sample: Sample; translations: readonly Translation[] }[] {
  const shell = samples.filter(({ language }) => language === 'sh')
  const translations = translationsOf(shell.map(({ code }) => code))
  return shell
    .map((sample, index) => ({ sample, translations: translations[index] ?? [] }))
    .filter(({ translations: own }) => own.length > 0)
}

const codesOf = (samples: readonly Sample[], language: Language): string[] =>
  translated(samples).map(({ translations }) => translations.find((each) => each.language === language)?.code ?? '')

/** The translations of a guide's samples in Go as one program. Nothing where there are none. */
export function goSession(samples: readonly Sample[], place: Pick<Place, 'url' | 'receiverPort'>): string | undefined {
  const codes = codesOf(samples, 'go')
  if (codes.length === 0) return undefined
  return at(place, goProgram(codes, `fmt.Println("${MARK}")`)).replaceAll(
    'Sleep(time.Second)',
    'Sleep(time.Second / 5)',
  )
}

/** Runs the translations of a guide's samples in one language as one program. Returns what each printed. `go` is the command of that program in Go. */
export async function runTranslations(
  samples: readonly Sample[],
  language: Language,
  place: Place,
  go: ReturnType<GoPrograms['commandOf']>,
): Promise<Map<Sample, string>> {
  const print = {
    ts: `console.log('${MARK}')`,
    python: `print('${MARK}')`,
    php: `echo '${MARK}';`,
    go: '',
    cli: `echo '${MARK}'`,
  }[language]
  const code = at(
    place,
    codesOf(samples, language)
      .map((part) => `${part}\n${print}\n`)
      .join(''),
  )
  const printed = await {
    ts: () => runTypescript(code, place),
    python: () => inFolder((folder) => run('python3', ['-c', code], folder, place)),
    php: () => inFolder((folder) => run('php', ['-r', code.replace('<?php\n', '')], folder, place)),
    go: () => inFolder((folder) => run(go[0] ?? '', go.slice(1), folder, place)),
    cli: () =>
      inFolder((folder) => withCommandLine((start) => run('bash', ['-c', `${start}\n${code}`], folder, place))),
  }[language]()
  const outputs = printed.split(MARK)
  return new Map(translated(samples).map(({ sample }, index) => [sample, outputs[index] ?? '']))
}

/** What a program printed as the words in it: languages differ in the quotes and brackets of the same values. */
export const wordsOf = (printed: string): string =>
  printed
    .replaceAll(/["'{}[\],:\s]+/g, ' ')
    .replaceAll(/\bNone\b|<nil>/g, 'null')
    .replaceAll(/\b(True|False)\b/g, (word) => word.toLowerCase())
    .trim()

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...args: unknown[]) => Promise<void>

/** Runs a program within this process, where starting one takes longer than running it. It has no types of its own. */
async function runTypescript(code: string, { env }: Place): Promise<string> {
  const printed: string[] = []
  const console = { log: (...values: unknown[]) => printed.push(`${format(...values)}\n`) }
  const given = { Payments, console, process: { env } }
  const body = code.replace("import { Payments } from '@payments/sdk'", '').replaceAll('1000)', '200)')
  await new AsyncFunction(...Object.keys(given), body)(...Object.values(given))
  return printed.join('')
}

/**
 * Runs the command line within this process: a hundred processes would take longer than all other samples. `use` gets the shell's
 * function `payments`.
 */
async function withCommandLine<T>(use: (start: string) => Promise<T>): Promise<T> {
  const errors: string[] = []
  const server = createServer(async (request, reply) => {
    const args = (await buffer(request)).toString('utf8').split('\0').slice(0, -1)
    const printed: string[] = []
    const { url = '', key = '' } = request.headers as Record<string, string>
    const code = await runCommand(args, {
      env: { PAYMENTS_URL: url, PAYMENTS_API_KEY: key, PAYMENTS_CONFIG_DIR: '/nonexistent' },
      signal: AbortSignal.timeout(30_000),
      out: (text) => printed.push(text),
      err: (text) => errors.push(`payments ${args.join(' ')}: ${text}`),
      write: async () => undefined,
    }).catch((error) => errors.push(String(error)))
    reply.writeHead(code === 0 ? 200 : 400).end(printed.map((text) => `${text}\n`).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await use(`set -euo pipefail
payments() {
  printf '%s\\0' "$@" |
    curl -sS -f -H "url: $PAYMENTS_URL" -H "key: $PAYMENTS_API_KEY" --data-binary @- http://127.0.0.1:${port}
}`)
  } catch (error) {
    throw new Error([error, ...errors].join('\n'))
  } finally {
    await new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections())
  }
}
