import { existsSync, readFileSync } from 'node:fs'

const PAGE = new URL('../../../../docs/reliability.md', import.meta.url)
const FIGURES = new URL('../../../../docs/derived/proof/', import.meta.url)

/** A section of the page: a title, the promise, `` `command`: what it does ``, the tests, and what was measured last where something was. */
const SECTION =
  /^## (?<title>.+)\n\n(?<promise>.+)\n\n`(?<command>npm run [^`]+)`: (?<shown>.+)\n\nIn `npm test`: (?<tests>.+)\.(?:\n\nMeasured on .+)?$/gm

/** A recorded run: what `npm run proof -- <name> --record`, or the command itself, wrote. */
interface Recorded {
  readonly date: string
  readonly commit: string
  /** Of a proof; benches have one size and no seed. */
  readonly size?: string
  readonly seed?: number
  readonly findings: readonly string[]
  readonly figures: Readonly<Record<string, unknown>>
}

/** Something that the service promises, the command that shows it, the files of the tests that hold it, and its last recorded run. */
interface Promised {
  readonly title: string
  readonly promise: string
  readonly shown: string
  readonly command: string
  readonly tests: readonly string[]
  readonly measured: Recorded | null
}

/** The promises of docs/reliability.md, each with the last recorded run of its command; null where none was recorded. */
export const reliability = (page = readFileSync(PAGE, 'utf8')): { promises: Promised[] } => ({
  promises: [...page.matchAll(SECTION)].map(
    ({ groups: { title = '', promise = '', shown = '', command = '', tests = '' } = {} }) => ({
      title,
      promise,
      shown,
      command,
      tests: [...tests.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file),
      measured: recordedOf(command),
    }),
  ),
})

function recordedOf(command: string): Recorded | null {
  const name = command.match(/^npm run (?:proof -- |bench -- )?([\w-]+)$/)?.[1]
  const file = name && new URL(`${name}.json`, FIGURES)
  if (!file || !existsSync(file)) return null
  const { date, commit, size, seed, findings, figures } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
  return { date, commit, ...(size ? { size, seed } : {}), findings, figures } as Recorded
}

/** docs/reliability.md with the figures that were recorded last; all else on it is written by hand. */
export const reliabilityPage = (page = readFileSync(PAGE, 'utf8')): string =>
  page.replace(SECTION, (section, ...rest) => {
    const measured = recordedOf((rest.at(-1) as { command: string }).command)
    const [own] = section.split('\n\nMeasured on ')
    return [own, ...(measured ? [measuredText(measured)] : [])].join('\n\n')
  })

const measuredText = ({ date, commit, size, seed, findings, figures }: Recorded): string =>
  `Measured on ${date} at commit \`${commit}\`${size ? ` (${size} size, seed ${seed})` : ''}: ${findings.length === 0 ? 'no findings' : `${findings.length} findings`}; ${textOf(figures)}.`

/** Figures as text. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'number') return value.toLocaleString('en')
  if (!value || typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, inner]) => {
      const words = wordsOf(name)
      return inner && typeof inner === 'object' && !Array.isArray(inner)
        ? `${words} (${textOf(inner)})`
        : `${words} ${textOf(inner)}`
    })
    .join(', ')
}

const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z0-9]+)*$/

/** `succeededOperations` becomes "succeeded operations"; what is text already, such as "PostgreSQL killed" or "cNGN", remains as it is. */
function wordsOf(name: string): string {
  if (!CAMEL_CASE.test(name)) return name
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace('pg bouncer', 'PgBouncer')
}
