// `npm run new -- domain <name> [--provider]`: a working domain, in its list and its documents.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GenerateError, generate } from './generate.ts'

const root = new URL('../../../', import.meta.url).pathname
const [kind, name = '', ...options] = process.argv.slice(2)
const provider = options.includes('--provider')

if (kind !== 'domain' || !name || options.some((option) => option !== '--provider'))
  stop('Usage: npm run new -- domain <name> [--provider], a plural noun like "invoices"')
try {
  const folders = generate(root, name, { provider })
  process.stdout.write(`${folders.join(' and ')} written. Linking the packages and deriving the documents …\n`)
} catch (error) {
  if (error instanceof GenerateError) stop(error.message)
  throw error
}
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Without the digest of the archive, which npx does not compare: `npm start` has.
run('npx', [
  '--yes',
  packageManager.split('+')[0],
  'install',
  '--no-frozen-lockfile',
  '--prefer-offline',
  '--reporter=silent',
])
run(process.execPath, ['tooling/derive/src/main.ts'])
process.stdout.write(`Next: npm run check -- ${name}${provider ? ` ${name}-live` : ''}, then make it yours.\n`)

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, CI: 'true' } })
  if (status !== 0) stop(`${command} ${args.join(' ')} failed`)
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
