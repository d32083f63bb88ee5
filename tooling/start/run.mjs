// The one entry of every npm script. Runs on any Node from 20 on: brings the pinned packages and a fitting Node, then
// hands over. Nothing here is needed once `node_modules` is in place, so a second start skips it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from './install.mjs'
import { fittingNode, tooOld } from './node.mjs'
import { isEnding, run } from './programs.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What runs from the artefact: the service, and the commands of those who run it. */
const served = Object.keys(JSON.parse(readFileSync(join(root, 'services/bundle/src/commands.json'), 'utf8')))
/** What runs from its sources, by the fitting Node, from the root. */
const tools = {
  verify: 'tooling/checks/src/main.ts',
  check: 'tooling/checks/src/check.ts',
  package: 'tooling/start/src/package.ts',
  release: 'tooling/start/src/release/main.ts',
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

const refused = tooOld(root)
if (refused) fail(refused)
try {
  await installPackages(root, { everything: name in tools })
} catch (error) {
  fail(error.message)
}
const node = findNode()
const program = await build()
if (name === 'start' && process.env.NODE_ENV === 'production' && node.startsWith(join(root, 'node_modules')))
  process.stderr.write(
    'This Node comes from the npm registry: in production use one of nodejs.org (see docs/security.md)\n',
  )
const command = name in tools ? [tools[name]] : [program, name]
const { code } = await run(node, [...command, ...rest], {
  stdio: 'inherit',
  cwd: root,
  env: {
    ...process.env,
    PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
    // Compiled code is kept, so that a second start is quick.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  },
}).ended
process.exit(code)

function findNode() {
  try {
    const { program, note } = fittingNode(root)
    if (note) process.stderr.write(`${note}\n`)
    return program
  } catch (error) {
    return fail(error.message)
  }
}

/** Builds the artefact where its sources have changed. @returns its program */
async function build() {
  const { code, output } = await run(node, ['services/bundle/src/main.ts'], {
    stdio: ['inherit', 'pipe', 'inherit'],
    cwd: root,
  }).ended
  if (code !== 0 || isEnding()) process.exit(1)
  return output.trim()
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
