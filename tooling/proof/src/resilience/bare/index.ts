import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root as checkout } from '@payments/checks'
import { freePort, hasTools, outputOf, until } from '@payments/stand'
import type { Proof } from '../../proof.ts'
import { makeDebian } from '../machine/debian.ts'

const SCRIPT = fileURLToPath(new URL('bare.sh', import.meta.url))
const APART = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', SCRIPT]
/** What is written otherwise in an address: a start finds its files there. */
const FOLDER = '/srv/ä b#%'
const MISSING = 'install the package libatomic1'
const PATIENCE_MS = 300_000
/** How npm reaches its registry here. */
const NETWORK = ['registry', 'proxy', 'https-proxy', 'noproxy', 'cafile']
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * `npm start` on the smallest Debian: what debootstrap makes, with Node and npm and nothing else, in a folder with a space, an umlaut, `#` and
 * `%`. It names the package that Node needs; with that, the service answers, and ends when it is told to.
 */
export const run: Proof = async ({ log }) => {
  const findings: string[] = []
  const nothing = { findings, figures: {} }
  if (!hasTools('debootstrap', 'setpriv', 'unshare')) {
    log('Not run, because debootstrap is missing: apt-get install debootstrap')
    return nothing
  }
  const root = mkdtempSync(join(tmpdir(), 'payments-bare-'))
  try {
    const possible = spawnSync('setpriv', [...APART.slice(0, -2), 'mount', '-t', 'tmpfs', 'own', root], {
      encoding: 'utf8',
    })
    if (possible.status !== 0) {
      log(`Not run, because this machine lets nobody mount: ${possible.stderr.trim()}`)
      return nothing
    }
    prepare(root)
    log('the smallest Debian')
    const port = await freePort()
    const env = { PATH: process.env.PATH ?? '', PORT: String(port), INTERNAL_PORT: String(await freePort()) }
    const before = received()
    const first = await outputOf(inside(root, env, 'npm', 'start'))
    const megabytes = Math.round((received() - before) / 1e6)
    log(`npm start without a library, ${megabytes} MB received\n${first.output.trim()}`)
    if (first.status !== 1 || !first.output.includes(MISSING))
      findings.push(
        `Without libatomic.so.1, npm start ended with ${first.status} and did not name the package: ${first.output}`,
      )
    const apt = 'apt-get update --quiet=2 && apt-get install --quiet=2 --yes libatomic1'
    const library = await outputOf(inside(root, env, 'sh', '-c', apt))
    if (library.status !== 0) throw new Error(`libatomic1 could not be installed: ${library.output}`)
    const service = inside(root, env, 'npm', 'start')
    const end = outputOf(service)
    const answered = await Promise.race([health(port), end.then(({ output }) => Promise.reject(new Error(output)))])
    log(answered)
    // The shell is the init of its processes and has no handler: what it runs is told.
    execFileSync('pkill', ['--signal', 'TERM', '--parent', String(service.pid)])
    const last = await end
    log(last.output.trim())
    return { findings, figures: { receivedMegabytes: megabytes } }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** The root: Debian, this machine's npm with its Node, how they reach the registry, and the checkout without anything that is installed. */
function prepare(root: string): void {
  makeDebian(root)
  // The Node of the packages stands first there, which has no npm of its own and other settings.
  const env = {
    ...process.env,
    PATH: (process.env.PATH ?? '')
      .split(':')
      .filter((each) => !each.startsWith(checkout))
      .join(':'),
  }
  const shell = (command: string) => execFileSync('sh', ['-c', command], { encoding: 'utf8', env }).trim()
  const which = (name: string) => realpathSync(shell(`command -v ${name}`))
  const npm = dirname(dirname(which('npm')))
  copyFileSync(which('node'), join(root, 'usr/local/bin/node'))
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
  const config = NETWORK.map((name) => [name, shell(`npm config get ${name}`)])
  const known = config.filter(([, value]) => value !== 'null' && value !== '' && value !== 'undefined')
  const lines = known.map(([name, value]) => {
    if (name !== 'cafile') return `${name}=${value}`
    mkdirSync(dirname(join(root, CERTIFICATES)), { recursive: true })
    writeFileSync(join(root, CERTIFICATES), readFileSync(value as string))
    return `cafile=${CERTIFICATES}`
  })
  writeFileSync(join(root, 'root/.npmrc'), `${lines.join('\n')}\n`)
  for (const file of ['etc/resolv.conf', 'etc/hosts']) copyFileSync(join('/', file), join(root, file))
  mkdirSync(join(root, FOLDER), { recursive: true })
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: checkout })
  const archive = execFileSync('tar', ['--null', '--files-from=-', '-c'], {
    cwd: checkout,
    input: files,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', join(root, FOLDER)], { input: archive })
}

const inside = (root: string, env: Record<string, string>, ...command: string[]): ChildProcess =>
  spawn('setpriv', [...APART, root, FOLDER, ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  })

async function health(port: number): Promise<string> {
  let answer: Response | undefined
  const answers = async () => {
    answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
    return answer?.ok === true
  }
  await until('/health answers', answers, { patienceMs: PATIENCE_MS, everyMs: 500 })
  return (answer as Response).text()
}

/** Bytes that this machine has received from others. */
const received = (): number =>
  readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .map((line) => line.match(/^ *(\S+): *(\d+)/))
    .reduce((sum, found) => sum + (found && found[1] !== 'lo' ? Number(found[2]) : 0), 0)
