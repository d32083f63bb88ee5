import { existsSync, readFileSync } from 'node:fs'
import { commitsSince } from '@payments/checks'

const PAGE = new URL('../../../../docs/reliability.md', import.meta.url)
const FIGURES = new URL('../../../../docs/derived/proof/', import.meta.url)

/** A section of the page: a title, the promise, `` `command`: what it does ``, the tests, and what was measured last where something was. */
const SECTION =
  /^## (?<title>.+)\n\n(?<promise>.+)\n\n`(?<command>npm run [^`]+)`: (?<shown>.+)\n\nIn `npm test`: (?<tests>.+)\.(?:\n\nMeasured on .+)?$/gm

/** A recorded run: what `npm run proof -- <name> --record`, or the command itself, wrote. */
interface Recorded {
  readonly date: string
  readonly commit: string
  /** The files that it is about, as git names them. */
  readonly covers?: readonly string[]
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
  const { date, commit, covers, size, seed, findings, figures } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
  return { date, commit, ...(covers ? { covers } : {}), ...(size ? { size, seed } : {}), findings, figures } as Recorded
}

const AGE = / Since then, [\d,]+ commits? changed what it covers\.$/

/**
 * docs/reliability.md with the figures that were recorded last; all else on it is written by hand. How many commits came since is counted where
 * `count` says so, and left as it is otherwise: it is another number after each commit.
 */
export const reliabilityPage = (page = readFileSync(PAGE, 'utf8'), { count = false } = {}): string =>
  page.replace(SECTION, (section, ...rest) => {
    const measured = recordedOf((rest.at(-1) as { command: string }).command)
    const [own] = section.split('\n\nMeasured on ')
    const age = (measured && count ? ageOf(measured) : undefined) ?? section.match(AGE)?.[0] ?? ''
    return [own, ...(measured ? [`${measuredText(measured)}${age}`] : [])].join('\n\n')
  })

/** Undefined where the history of the repository is not present. */
function ageOf({ commit, covers }: Recorded): string | undefined {
  const commits = commitsSince(commit, covers)
  if (!commits) return commits === 0 ? '' : undefined
  return ` Since then, ${commits.toLocaleString('en')} ${commits === 1 ? 'commit' : 'commits'} changed what it covers.`
}

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
